//===- TaskProducts.h - Products with a task's own matrix -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_TRANSFORMS_TASKPRODUCTS_H
#define DYNBATCH_LIB_TRANSFORMS_TASKPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace mlir::dynbatch {

/// A batched product of vectors with large matrices that tasks bring along.
/// Several tasks may bring the same one, such as an expert's of a mixture: all
/// tasks then work on one block of their matrices after the other, so that a
/// block which was read is still in the first-level cache when the next task,
/// which has the same matrix if tasks are ordered by it, needs it.
struct TaskProduct {
  linalg::LinalgOp op;
  /// The matrix, a gather of `tasks x rows x columns`.
  OpOperand *matrix;
  /// The loop over the matrix's rows, and how many there are.
  unsigned loop;
  int64_t size;
  /// Rows of a block; it divides `size`.
  int64_t block;
};

/// Recognizes such a product. Matrices are large when a core's second-level
/// cache of `l2Bytes` does not keep several of them.
std::optional<TaskProduct> matchTaskProduct(Operation *op, int64_t l2Bytes);

/// What a task needs of a value, whose dimensions `map` indexes, for one block.
struct BlockSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
/// `task` is the offset of the task in the value, `start` that of the block.
BlockSlice getBlockSlice(Builder &builder, const TaskProduct &product,
                         OpOperand &operand, OpFoldResult task,
                         OpFoldResult start);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_TRANSFORMS_TASKPRODUCTS_H
