//===- BatchedValues.h - Which values of a kernel are batched -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_ANALYSIS_BATCHEDVALUES_H
#define DYNBATCH_ANALYSIS_BATCHEDVALUES_H

#include "dynbatch/IR/Dynbatch.h"

namespace mlir::dynbatch {

/// The values of a batched kernel that depend on the batch: those that are
/// computed from its arguments. Their leading dimension is the batch's. All
/// others are shared.
class BatchedValues {
public:
  explicit BatchedValues(KernelOp kernel);

  bool contains(Value value) const { return values.contains(value); }
  /// Whether `op` depends on the batch, by an operand or inside its regions.
  bool isUsedBy(Operation *op) const;

private:
  DenseSet<Value> values;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_ANALYSIS_BATCHEDVALUES_H
