//===- Scalars.cpp - Bits of scalars ----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/Scalars.h"

#include "loaders/SmallFloat.h"

#include <cmath>
#include <cstring>

using namespace dynbatch::rt;

void dynbatch::rt::integerRange(DType dtype, int64_t &least, int64_t &most) {
  if (dtype == DType::I1) {
    least = 0;
    most = 1;
    return;
  }
  most =
      static_cast<int64_t>(~uint64_t(0) >> (64 - 8 * sizeInBytes(dtype) + 1));
  least = -most - 1;
}

std::string dynbatch::rt::outOfIntegerRange(DType dtype,
                                            const std::string &text) {
  int64_t least, most;
  integerRange(dtype, least, most);
  return text + " is out of range for " + name(dtype) + " (" +
         std::to_string(least) + " to " + std::to_string(most) + ")";
}

uint64_t dynbatch::rt::integerBits(DType dtype, int64_t value) {
  uint64_t bits = static_cast<uint64_t>(value);
  int64_t bytes = sizeInBytes(dtype);
  return bytes < 8 ? bits & ((uint64_t(1) << (8 * bytes)) - 1) : bits;
}

uint64_t dynbatch::rt::floatBits(DType dtype, double value, bool &infinite) {
  switch (dtype) {
  case DType::F32: {
    float narrow = static_cast<float>(value);
    infinite = std::isinf(narrow);
    uint32_t word;
    std::memcpy(&word, &narrow, sizeof(word));
    return word;
  }
  case DType::F64: {
    infinite = std::isinf(value);
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  default: {
    uint16_t word = dtype == DType::F16 ? toF16(value) : toBF16(value);
    infinite = std::isinf(dtype == DType::F16 ? fromF16(word) : fromBF16(word));
    return word;
  }
  }
}

int64_t dynbatch::rt::toInteger(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::I1:
    return bits & 1;
  case DType::I8:
    return static_cast<int8_t>(bits);
  case DType::I16:
    return static_cast<int16_t>(bits);
  case DType::I32:
    return static_cast<int32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

double dynbatch::rt::toFloat(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::F16:
    return fromF16(static_cast<uint16_t>(bits));
  case DType::BF16:
    return fromBF16(static_cast<uint16_t>(bits));
  case DType::F32: {
    uint32_t word = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
  }
  default: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  }
}
