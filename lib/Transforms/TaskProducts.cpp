//===- TaskProducts.cpp - Products with a task's own matrix -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskProducts.h"
#include "dynbatch/Analysis/Contractions.h"
#include "dynbatch/IR/Dynbatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Of which the second-level cache keeps fewer are large.
static constexpr int64_t kMatrices = 8;
/// Half of the smallest first-level caches.
static constexpr int64_t kBlockBytes = 16 << 10;

std::optional<TaskProduct> mlir::dynbatch::matchTaskProduct(Operation *op,
                                                            int64_t l2Bytes) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  // Tasks, rows and columns; one of the last two is summed over.
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      !isPlainContraction(linalgOp) || linalgOp.getNumLoops() != 3 ||
      linalgOp.getNumReductionLoops() != 1)
    return {};
  AffineMap accMap =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  for (OpOperand *input : linalgOp.getDpsInputOperands()) {
    AffineMap map = linalgOp.getMatchingIndexingMap(input);
    if (!input->get().getDefiningOp<GatherOp>() || map.getNumResults() != 3 ||
        !map.isPermutation() || accMap.getResult(0) != map.getResult(0))
      continue;
    auto type = cast<RankedTensorType>(input->get().getType());
    ArrayRef<int64_t> matrix = type.getShape().drop_front();
    if (ShapedType::isDynamicShape(matrix))
      continue;
    int64_t rowBytes =
        matrix[1] *
        llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
    if (matrix[0] * rowBytes * kMatrices <= l2Bytes)
      continue;
    int64_t block = std::max<int64_t>(kBlockBytes / rowBytes, 1);
    while (matrix[0] % block != 0)
      --block;
    return TaskProduct{linalgOp, input, map.getDimPosition(1), matrix[0],
                       block};
  }
  return {};
}

BlockSlice mlir::dynbatch::getBlockSlice(Builder &builder,
                                         const TaskProduct &product,
                                         OpOperand &operand, OpFoldResult task,
                                         OpFoldResult start) {
  linalg::LinalgOp op = product.op;
  unsigned taskLoop =
      op.getMatchingIndexingMap(product.matrix).getDimPosition(0);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  BlockSlice slice;
  slice.strides.assign(map.getNumResults(), builder.getIndexAttr(1));
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    unsigned loop = map.getDimPosition(i);
    OpFoldResult offset = builder.getIndexAttr(0);
    int64_t size = cast<ShapedType>(operand.get().getType()).getDimSize(i);
    if (loop == taskLoop) {
      offset = task;
      size = 1;
    } else if (loop == product.loop) {
      offset = start;
      size = product.block;
    }
    slice.offsets.push_back(offset);
    slice.sizes.push_back(builder.getIndexAttr(size));
  }
  return slice;
}
