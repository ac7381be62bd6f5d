//===- WarpOperations.cpp - What the lanes of a warp do together *- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "simt/WarpOperations.h"

#include "loaders/SmallFloat.h"

#include <cstring>

using namespace dynbatch::rt;

int64_t Shuffle::source(int64_t lane) const {
  switch (mode) {
  case DYNBATCH_SIMT_SHUFFLE_XOR:
    return lane ^ offset;
  case DYNBATCH_SIMT_SHUFFLE_DOWN:
    return lane + offset;
  case DYNBATCH_SIMT_SHUFFLE_UP:
    return lane - offset;
  default:
    return offset;
  }
}

std::optional<WarpOperation::Failure> Shuffle::run(const Lanes &all) const {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    auto *self = static_cast<Shuffle *>(all[lane]);
    if (!self)
      continue;
    if (self->lanes != lanes)
      return Failure{lane, "a width of " + std::to_string(self->lanes) +
                               ", but other lanes of the warp have " +
                               std::to_string(lanes)};
    int64_t source = self->source(lane);
    if (lane >= width() || source < 0 || source >= lanes)
      continue;
    self->result = {static_cast<Shuffle *>(all[source])->value, 1};
  }
  return std::nullopt;
}

static float loadHalf(int32_t type, const char *fragment, int32_t index) {
  uint16_t bits;
  std::memcpy(&bits, fragment + index * sizeof(bits), sizeof(bits));
  return type == DYNBATCH_SIMT_MMA_F16 ? fromF16(bits) : fromBF16(bits);
}

static float loadTf32(const char *fragment, int32_t index) {
  uint32_t bits;
  std::memcpy(&bits, fragment + index * sizeof(bits), sizeof(bits));
  bits &= 0xffffe000;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// The fragments' layouts are those of the PTX ISA, "Matrix fragments for
// mma.m16n8k16 with floating point type" and "for mma.m16n8k8".
float Mma::elementA(const Lanes &lanes, int32_t row, int32_t k) const {
  bool half = type != DYNBATCH_SIMT_MMA_TF32;
  int32_t perLane = half ? 2 : 1, group = 4 * perLane;
  int32_t lane = row % 8 * 4 + k % group / perLane;
  int32_t index = k % perLane + perLane * (row / 8 + k / group * 2);
  const char *fragment = static_cast<const Mma *>(lanes[lane])->a;
  return half ? loadHalf(type, fragment, index) : loadTf32(fragment, index);
}

float Mma::elementB(const Lanes &lanes, int32_t k, int32_t column) const {
  bool half = type != DYNBATCH_SIMT_MMA_TF32;
  int32_t perLane = half ? 2 : 1, group = 4 * perLane;
  int32_t lane = column * 4 + k % group / perLane;
  int32_t index = k % perLane + perLane * (k / group);
  const char *fragment = static_cast<const Mma *>(lanes[lane])->b;
  return half ? loadHalf(type, fragment, index) : loadTf32(fragment, index);
}

std::optional<WarpOperation::Failure> Mma::run(const Lanes &lanes) const {
  for (int32_t lane = 0; lane < int32_t(kWarpSize); ++lane) {
    auto *self = static_cast<const Mma *>(lanes[lane]);
    for (int32_t i = 0; i < 4; ++i) {
      int32_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float sum = self->c[i];
      for (int32_t inner = 0; inner < k; ++inner)
        sum += elementA(lanes, row, inner) * elementB(lanes, inner, column);
      self->d[i] = sum;
    }
  }
  return std::nullopt;
}
