//===- RecurrentOps.h - Tensor ops on cycles of the data flow -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_TRANSFORMS_RECURRENTOPS_H
#define DYNBATCH_LIB_TRANSFORMS_RECURRENTOPS_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace mlir::dynbatch {

/// Which tensor ops depend on results of their own, through recursion, loops,
/// data structures and calls: the strongly connected components of the program's
/// data flow (RecurrenceAnalysis), op by op.
class RecurrentOps {
public:
  /// Nothing if the analysis failed.
  static std::optional<RecurrentOps> find(ModuleOp module,
                                          ArrayRef<Operation *> tensorOps);

  /// Whether `op` lies on a cycle.
  bool contains(Operation *op) const { return recurrent.contains(op); }
  /// Whether control flow of the program depends on computed tensors.
  bool hasForcedReads() const { return forcedReads; }

private:
  DenseSet<Operation *> recurrent;
  bool forcedReads = false;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_TRANSFORMS_RECURRENTOPS_H
