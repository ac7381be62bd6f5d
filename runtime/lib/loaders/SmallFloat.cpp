//===- SmallFloat.cpp - f16 and bf16 ----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/SmallFloat.h"

#include <algorithm>
#include <cmath>

using namespace dynbatch::rt;

namespace {

/// A 16-bit IEEE format.
struct Format {
  int fractionBits;
  int bias;

  int smallestExponent() const { return 1 - bias; }
  uint16_t infinity() const {
    return static_cast<uint16_t>(((1 << (15 - fractionBits)) - 1)
                                 << fractionBits);
  }
};

constexpr Format kF16 = {10, 15};
constexpr Format kBF16 = {7, 127};

uint16_t encode(const Format &format, double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | format.infinity() | (1 << (format.fractionBits - 1));
  value = std::fabs(value);
  if (std::isinf(value))
    return sign | format.infinity();
  int exponent = value == 0 ? format.smallestExponent() : std::ilogb(value);
  exponent = std::max(exponent, format.smallestExponent());
  // In units of the last place: an integer after rounding. With a hidden bit
  // the exponent field starts at 1; a carry out of the fraction raises it.
  auto units = static_cast<int64_t>(
      std::nearbyint(std::ldexp(value, format.fractionBits - exponent)));
  int64_t bits = units + (int64_t(exponent - format.smallestExponent())
                          << format.fractionBits);
  return sign |
         static_cast<uint16_t>(std::min<int64_t>(bits, format.infinity()));
}

float decode(const Format &format, uint16_t bits) {
  float sign = bits & 0x8000 ? -1.0f : 1.0f;
  int field = (bits & 0x7fff) >> format.fractionBits;
  int fraction = bits & ((1 << format.fractionBits) - 1);
  if (field == format.infinity() >> format.fractionBits)
    return fraction ? std::copysign(NAN, sign) : sign * INFINITY;
  if (field != 0)
    fraction |= 1 << format.fractionBits;
  int exponent = std::max(field, 1) - format.bias - format.fractionBits;
  return sign * std::ldexp(static_cast<float>(fraction), exponent);
}

} // namespace

uint16_t dynbatch::rt::toF16(double value) { return encode(kF16, value); }
uint16_t dynbatch::rt::toBF16(double value) { return encode(kBF16, value); }
float dynbatch::rt::fromF16(uint16_t bits) { return decode(kF16, bits); }
float dynbatch::rt::fromBF16(uint16_t bits) { return decode(kBF16, bits); }
