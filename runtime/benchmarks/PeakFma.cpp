//===- PeakFma.cpp - Measured speed of light --------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/PeakFma.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace {

/// Enough independent chains to hide an FMA's latency on two ports.
constexpr int kChains = 12;
constexpr int64_t kSteps = 50000;
constexpr int kRuns = 20;

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

typedef float Vector16 __attribute__((vector_size(64)));
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector4 __attribute__((vector_size(16)));

#if defined(__x86_64__)
__attribute__((target("avx512f"), noinline)) float run16(int64_t steps) {
  return multiplyAdd<Vector16>(steps);
}
__attribute__((target("avx2,fma"), noinline)) float run8(int64_t steps) {
  return multiplyAdd<Vector8>(steps);
}
#endif
__attribute__((noinline)) float run4(int64_t steps) {
  return multiplyAdd<Vector4>(steps);
}

} // namespace

double dynbatch::rt::measurePeakFma() {
  float (*run)(int64_t) = run4;
  int64_t lanes = 4;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    run = run16;
    lanes = 16;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    run = run8;
    lanes = 8;
  }
#endif
  using Clock = std::chrono::steady_clock;
  volatile float result;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    Clock::time_point begin = Clock::now();
    result = run(kSteps);
    double seconds =
        std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, 2.0 * lanes * kChains * kSteps / seconds * 1e-9);
  }
  (void)result;
  return best;
}
