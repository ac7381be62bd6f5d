//===- RandomParameters.cpp - Reproducible parameter values -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/RandomParameters.h"

#include "loaders/SmallFloat.h"

#include <cmath>

using namespace dynbatch::rt;

static constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;

static uint64_t fnv1a64(const std::string &text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

/// The finaliser of SplitMix64.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

Status dynbatch::rt::fillRandom(const Parameter &param, uint64_t seed,
                                void *data) {
  const Type &type = param.type;
  if (!isFloat(type.dtype))
    return Status::error("parameter '" + param.name + "' of type " +
                         type.str() +
                         ": only floating-point parameters can be random");
  uint64_t state = fnv1a64(param.name) ^ (seed * kGolden);
  float scale = 0.1f;
  if (type.shape.size() >= 2 && type.elements > 0)
    scale = static_cast<float>(
        std::sqrt(3.0 / static_cast<double>(type.shape.back())));

  auto fill = [&](auto *out, auto convert) {
    for (int64_t i = 0; i < type.elements; ++i) {
      uint64_t x = mix(state + (static_cast<uint64_t>(i) + 1) * kGolden);
      // 24 bits: this and 2u - 1 are exact in f32.
      float u = static_cast<float>(x >> 40) * 0x1p-24f;
      float centred = 2.0f * u - 1.0f;
      out[i] = convert(centred * scale);
    }
  };
  switch (type.dtype) {
  case DType::F32:
    fill(static_cast<float *>(data), [](float value) { return value; });
    break;
  case DType::F64:
    fill(static_cast<double *>(data), [](float value) { return value; });
    break;
  case DType::F16:
    fill(static_cast<uint16_t *>(data),
         [](float value) { return toF16(value); });
    break;
  default:
    fill(static_cast<uint16_t *>(data),
         [](float value) { return toBF16(value); });
    break;
  }
  return Status::success();
}
