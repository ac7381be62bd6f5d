//===- PeakFma.h - Measured speed of light ----------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_PEAKFMA_H
#define DYNBATCH_RUNTIME_PEAKFMA_H

namespace dynbatch::rt {

/// The f32 fused multiply-add peak of the core it runs on, in GFLOP/s
/// (multiply-add = 2), with the widest vectors of the host. Takes about 20 ms:
/// the best of several short runs.
double measurePeakFma();

/// What a register tile of a matrix product reaches on that core now, in
/// GFLOP/s, with operands that it loads from the first-level cache: the median
/// of several short runs. Less than the peak where another thread of the core
/// takes instruction slots, which chains of multiply-adds leave free.
double measureTileRate();

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_PEAKFMA_H
