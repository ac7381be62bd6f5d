//===- StageOrder.h - How a cyclic stage goes on in rounds -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_TRANSFORMS_STAGEORDER_H
#define DYNBATCH_LIB_TRANSFORMS_STAGEORDER_H

#include "dynbatch/Analysis/DependenceGraph.h"

namespace mlir::dynbatch {

/// How many loops and recursions are around an op, counted from the functions
/// that nobody calls; the fewest where there are several ways to it.
class NestingDepth {
public:
  explicit NestingDepth(ModuleOp module);
  unsigned get(Operation *op) const;

private:
  DenseMap<Region *, unsigned> functions;
};

/// The order inside of a strongly connected component of kernels.
struct StageOrder {
  /// Run at the beginning of each round.
  SmallVector<DependenceNode *> first;
  /// Each a single kernel, producers before consumers; cyclic ones take steps.
  SmallVector<DependenceGraph::Component> parts;
};

/// Splits a cyclic component, so that a task's round counts the tasks of
/// `first` kernels before it and no others: then chains of different lengths
/// between two of them end in the same round. Takes as few `first` kernels as
/// leave parts of one kernel each. Of several such sets it takes the one that
/// is met least often on the simple cycles of the component (each meeting is a
/// round), then that with the fewest parts that take steps, then the outermost
/// of loops and recursions, then the earliest. Everything is first where there
/// is no such set of at most three kernels.
///
/// `nesting` has the fewest loops and recursions around any task of a kernel.
StageOrder orderStage(const DependenceGraph::Component &component,
                      const DenseMap<DependenceNode *, unsigned> &nesting);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_TRANSFORMS_STAGEORDER_H
