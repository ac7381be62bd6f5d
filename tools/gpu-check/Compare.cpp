//===- Compare.cpp - Results against stored ones ----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

using namespace dynbatch::gpucheck;

/// Puts blanks around brackets, so that all words stand alone.
static std::string separate(const std::string &line) {
  std::string words;
  for (char c : line) {
    bool isBracket = c == '(' || c == ')' || c == '[' || c == ']';
    if (isBracket)
      words += ' ';
    words += c;
    if (isBracket)
      words += ' ';
  }
  return words;
}

static bool parse(const std::string &word, double &number) {
  char *end = nullptr;
  number = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == '\0';
}

/// Compares a line; returns false at the first word that is another one.
static bool compareLine(const std::string &actual, const std::string &expected,
                        double &largest) {
  std::istringstream first(separate(actual)), second(separate(expected));
  std::string a, b;
  while (first >> a) {
    double x, y;
    if (!(second >> b))
      return false;
    if (a == b)
      continue;
    if (!parse(a, x) || !parse(b, y) || std::isnan(x) || std::isnan(y))
      return false;
    largest = std::max(largest, std::abs(x - y) / std::max(1.0, std::abs(y)));
  }
  return !(second >> b);
}

Difference dynbatch::gpucheck::compare(const std::string &actual,
                                       const std::string &expected) {
  std::istringstream first(actual), second(expected);
  Difference result;
  std::string a, b;
  for (size_t number = 1;; ++number) {
    bool hasFirst = bool(std::getline(first, a));
    bool hasSecond = bool(std::getline(second, b));
    if (!hasFirst && !hasSecond)
      return result;
    if (hasFirst != hasSecond || !compareLine(a, b, result.largest)) {
      result.problem = "line " + std::to_string(number) + " differs";
      return result;
    }
  }
}
