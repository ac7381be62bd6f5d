//===- peak_fma.cpp - Prints the core's f32 FMA peak ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/PeakFma.h"

#include <cstdio>

int main() {
  std::printf("%.1f\n", dynbatch::rt::measurePeakFma());
  return 0;
}
