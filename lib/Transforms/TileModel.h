//===- TileModel.h - What the rows of a tile cost ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_TRANSFORMS_TILEMODEL_H
#define DYNBATCH_LIB_TRANSFORMS_TILEMODEL_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir::dynbatch {

/// The work of a kernel that is done tile by tile.
struct TiledWork {
  /// A contraction of `rows` rows a task with `k` x `n` weights of
  /// `weightBytes` bytes each.
  struct Contraction {
    int64_t rows, k, n, weightBytes;
  };
  llvm::SmallVector<Contraction> contractions;
  /// What a tile stores, or reads more than once, for each of its tasks.
  int64_t bytesOfTask = 0;
};

/// An estimate for tiles of `tasks` tasks, in cycles a task: multiply-adds in
/// register tiles that may be partly empty, weights read once a tile from
/// beyond a core's second-level cache of `l2Bytes`, and what the tile stores in
/// excess of half of that cache.
double estimateTileCycles(const TiledWork &work, int64_t tasks,
                          int64_t l2Bytes);

/// The number of tasks with the least estimate; the smaller one if equal.
int64_t chooseTileTasks(const TiledWork &work, int64_t l2Bytes);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_TRANSFORMS_TILEMODEL_H
