//===- PeakFma.cpp - Measured speed of light --------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/PeakFma.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace {

/// Enough independent chains to hide an FMA's latency on two ports.
constexpr int kChains = 12;
constexpr int64_t kSteps = 51200;
constexpr int kRuns = 20;
/// Products added to each sum of a register tile before its operands repeat:
/// few enough for the first-level cache.
constexpr int kDepth = 64;

// Always inlined into functions of one instruction set each, which the compiler
// then uses for `a * b + c`.
#pragma clang fp contract(fast)
template <typename Vector>
__attribute__((always_inline)) inline float multiplyAdd(int64_t steps) {
  Vector sums[kChains];
  for (int i = 0; i < kChains; ++i)
    sums[i] = Vector{} + static_cast<float>(i);
  Vector factor = Vector{} + 0.5f;
  Vector term = Vector{} + 0.25f;
  for (int64_t step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kChains; ++i)
      sums[i] = sums[i] * factor + term;
    // Keeps the loop: the compiler must not know what the values become.
    asm volatile("" : "+r"(step));
  }
  float total = 0;
  for (int i = 0; i < kChains; ++i)
    for (size_t lane = 0; lane < sizeof(Vector) / sizeof(float); ++lane)
      total += sums[i][lane];
  return total;
}

/// The inner loop of a matrix product: a tile of rows by two vectors of
/// columns, operands loaded from memory.
template <typename Vector, int Rows>
__attribute__((always_inline)) inline float multiplyTile(int64_t steps) {
  constexpr int kLanes = sizeof(Vector) / sizeof(float);
  alignas(64) static const std::array<float, kDepth * 2 * kLanes> columns{};
  alignas(64) static const std::array<float, kDepth * Rows> rows{};
  const float *columnsOfStep = columns.data(), *rowsOfStep = rows.data();
  // The compiler must not know what is in memory.
  asm volatile("" : "+r"(columnsOfStep), "+r"(rowsOfStep));
  Vector sums[Rows][2] = {};
  for (int64_t step = 0; step < steps; step += kDepth) {
#pragma clang loop unroll_count(4)
    for (int k = 0; k < kDepth; ++k) {
      Vector factors[2];
      __builtin_memcpy(factors, columnsOfStep + k * 2 * kLanes,
                       sizeof(factors));
#pragma clang loop unroll(full)
      for (int row = 0; row < Rows; ++row) {
        Vector element;
        for (int lane = 0; lane < kLanes; ++lane)
          element[lane] = rowsOfStep[row * kDepth + k];
        sums[row][0] = sums[row][0] + element * factors[0];
        sums[row][1] = sums[row][1] + element * factors[1];
      }
    }
    asm volatile("" ::: "memory");
  }
  float total = 0;
  for (Vector(&sumsOfRow)[2] : sums)
    for (int lane = 0; lane < kLanes; ++lane)
      total += sumsOfRow[0][lane] + sumsOfRow[1][lane];
  return total;
}

typedef float Vector16 __attribute__((vector_size(64)));
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector4 __attribute__((vector_size(16)));

/// Functions for one instruction set. A tile has `2 * rows` vectors.
struct Loops {
  float (*chains)(int64_t steps);
  float (*tile)(int64_t steps);
  int64_t lanes, rows;
};

#if defined(__x86_64__)
__attribute__((target("avx512f"), noinline)) float chains16(int64_t steps) {
  return multiplyAdd<Vector16>(steps);
}
__attribute__((target("avx512f"), noinline)) float tile16(int64_t steps) {
  return multiplyTile<Vector16, 12>(steps);
}
__attribute__((target("avx2,fma"), noinline)) float chains8(int64_t steps) {
  return multiplyAdd<Vector8>(steps);
}
__attribute__((target("avx2,fma"), noinline)) float tile8(int64_t steps) {
  return multiplyTile<Vector8, 6>(steps);
}
#endif
__attribute__((noinline)) float chains4(int64_t steps) {
  return multiplyAdd<Vector4>(steps);
}
__attribute__((noinline)) float tile4(int64_t steps) {
  return multiplyTile<Vector4, 6>(steps);
}

Loops selectLoops() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {chains16, tile16, 16, 12};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {chains8, tile8, 8, 6};
#endif
  return {chains4, tile4, 4, 6};
}

/// GFLOP/s of each run, from the lowest on.
std::array<double, kRuns> measure(float (*loop)(int64_t), int64_t lanes,
                                  int64_t vectors) {
  using Clock = std::chrono::steady_clock;
  std::array<double, kRuns> rates;
  volatile float result;
  for (double &rate : rates) {
    Clock::time_point begin = Clock::now();
    result = loop(kSteps);
    double seconds =
        std::chrono::duration<double>(Clock::now() - begin).count();
    rate = 2.0 * lanes * vectors * kSteps / seconds * 1e-9;
  }
  (void)result;
  std::sort(rates.begin(), rates.end());
  return rates;
}

} // namespace

double dynbatch::rt::measurePeakFma() {
  Loops loops = selectLoops();
  return measure(loops.chains, loops.lanes, kChains).back();
}

double dynbatch::rt::measureTileRate() {
  Loops loops = selectLoops();
  return measure(loops.tile, loops.lanes, 2 * loops.rows)[kRuns / 2];
}
