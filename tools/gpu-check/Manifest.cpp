//===- Manifest.cpp - What is to be checked and timed -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace dynbatch::gpucheck;
using namespace dynbatch::rt;

static bool parseSchedule(const std::string &name, Schedule &schedule) {
  if (name == "static")
    schedule = Schedule::Static;
  else if (name == "depth")
    schedule = Schedule::Depth;
  else if (name == "agenda")
    schedule = Schedule::Agenda;
  else
    return false;
  return true;
}

/// `LABEL=LIBRARY,SCHEDULE`
static bool parseVariant(const std::string &text, const std::string &folder,
                         Variant &variant) {
  size_t equals = text.find('='), comma = text.rfind(',');
  if (equals == std::string::npos || comma == std::string::npos ||
      comma < equals)
    return false;
  variant.label = text.substr(0, equals);
  variant.library = folder + text.substr(equals + 1, comma - equals - 1);
  return parseSchedule(text.substr(comma + 1), variant.schedule);
}

static bool parseCheck(std::istringstream &line, const std::string &folder,
                       Check &check) {
  std::string end;
  if (!(line >> check.name >> check.library >> check.instances >>
        check.parameters >> check.results) ||
      line >> end)
    return false;
  check.library = folder + check.library;
  check.instances = folder + check.instances;
  check.results = folder + check.results;
  return true;
}

static bool parseTiming(std::istringstream &line, const std::string &folder,
                        Timing &timing) {
  if (!(line >> timing.name >> timing.batch >> timing.instances >>
        timing.parameters) ||
      timing.batch == 0)
    return false;
  if (timing.instances.rfind("tokens:", 0) != 0)
    timing.instances = folder + timing.instances;
  std::string text;
  while (line >> text) {
    Variant variant;
    if (!parseVariant(text, folder, variant))
      return false;
    timing.variants.push_back(std::move(variant));
  }
  return !timing.variants.empty();
}

Result<Manifest> Manifest::read(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Status::error("cannot read '" + path + "'");
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "" : path.substr(0, slash + 1);
  Manifest manifest;
  std::string text;
  for (size_t number = 1; std::getline(file, text); ++number) {
    std::istringstream line(text);
    std::string kind;
    if (!(line >> kind) || kind[0] == '#')
      continue;
    bool parsed = false;
    if (kind == "check")
      parsed = parseCheck(line, folder, manifest.checks.emplace_back());
    else if (kind == "time")
      parsed = parseTiming(line, folder, manifest.timings.emplace_back());
    if (!parsed)
      return Status::error(path + ":" + std::to_string(number) +
                           ": not a check and not a time");
  }
  return manifest;
}
