//===- TileModel.cpp - What the rows of a tile cost -------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileModel.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir::dynbatch;

// Of a core with two 256-bit multiply-adds a cycle. Only ratios matter.
static constexpr double kFlopsPerCycle = 32;
static constexpr double kBytesPerCycle = 16; // of the third-level cache
/// Rows that fill the register tiles of all targets.
static constexpr int64_t kFullRows = 12;
/// From here on reading the weights is 4 % of the estimate.
static constexpr int64_t kMostRows = 96;

double mlir::dynbatch::estimateTileCycles(const TiledWork &work, int64_t tasks,
                                          int64_t l2Bytes) {
  double cycles = 0;
  for (const TiledWork::Contraction &contraction : work.contractions) {
    double weights = double(contraction.k) * contraction.n;
    int64_t rows = tasks * contraction.rows;
    cycles += 2 * weights * llvm::alignTo(rows, kFullRows) / kFlopsPerCycle;
    cycles += weights * contraction.weightBytes / kBytesPerCycle;
  }
  // Written once and read once.
  double excess = double(tasks) * work.bytesOfTask - l2Bytes / 2;
  cycles += 2 * std::max(excess, 0.0) / kBytesPerCycle;
  return cycles / tasks;
}

int64_t mlir::dynbatch::chooseTileTasks(const TiledWork &work,
                                        int64_t l2Bytes) {
  int64_t rowsOfTask = kMostRows;
  for (const TiledWork::Contraction &contraction : work.contractions)
    rowsOfTask = std::min(rowsOfTask, contraction.rows);
  int64_t most = llvm::divideCeil(kMostRows, std::max<int64_t>(rowsOfTask, 1));
  int64_t best = 1;
  double least = estimateTileCycles(work, best, l2Bytes);
  for (int64_t tasks = 2; tasks <= most; ++tasks) {
    double cycles = estimateTileCycles(work, tasks, l2Bytes);
    if (cycles < least) {
      best = tasks;
      least = cycles;
    }
  }
  return best;
}
