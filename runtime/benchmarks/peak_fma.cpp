//===- peak_fma.cpp - What a core can do in f32 -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/PeakFma.h"

#include <cstdio>

int main() {
  std::printf("multiply-adds: %.1f GFLOP/s\n"
              "a register tile: %.1f GFLOP/s\n",
              dynbatch::rt::measurePeakFma(), dynbatch::rt::measureTileRate());
  return 0;
}
