//===- Sources.h - What an op of a kernel reads -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_SOURCES_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_SOURCES_H

#include "dynbatch/Analysis/BatchedValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::dynbatch {

/// Which element of a tensor an op reads for an element of its result.
struct Alignment {
  /// Leading dimensions in which the positions agree.
  unsigned prefix;
  /// Set if they agree in all dimensions but the last, where the position read
  /// is this much larger.
  std::optional<int64_t> shift;

  bool isIdentity() const { return shift && *shift == 0; }
};

/// A computed tensor that an op reads, perhaps through views.
struct Source {
  Value value;
  Alignment alignment;
};

/// Whether an op only says where elements come from: elements of its result are
/// found when they are needed, at no cost but that of the position.
bool isView(Operation *op);

/// Whether an op of a batched kernel computes a tensor with a row for each task
/// that is worth being stored.
bool isComputed(Operation *op, const BatchedValues &batched);

/// Whether `op` computes each element of its results from one element of each
/// input.
bool isElementwise(Operation *op);

/// All computed tensors that `value` is made of.
SmallVector<Source> getSources(Value value, const BatchedValues &batched);

/// All computed tensors that a linalg op reads for one of its results.
SmallVector<Source> getReadSources(OpResult result,
                                   const BatchedValues &batched);

/// The op that combines two terms of a reduction to one result whose terms may
/// be combined in parts, null for other ops.
Operation *matchAssociative(linalg::LinalgOp op);

/// Emits an error unless elements of what `op` computes can be found on demand.
LogicalResult verifyLowerable(Operation *op);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_SOURCES_H
