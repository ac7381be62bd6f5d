//===- PackWeights.cpp - Contractions on packed weights -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Widening.h"
#include "dynbatch/Analysis/BatchedValues.h"
#include "dynbatch/Analysis/Contractions.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

namespace {
/// acc[rows..., n] += sum over k of lhs[rows..., k] * matrix
struct RowContraction {
  OpOperand *lhs, *matrix, *acc;
  bool columnsFirst; ///< matrix[n, k], otherwise matrix[k, n]
};
} // namespace

/// Recognizes a contraction of batched rows with a shared matrix.
static std::optional<RowContraction>
matchRowContraction(LinalgOp op, const BatchedValues &batched) {
  if (!op.hasPureTensorSemantics() || !isPlainContraction(op) ||
      !getElementTypeOrSelf(op.getDpsInits()[0]).isF32())
    return {};
  for (Value input : op.getDpsInputs())
    if (!getElementTypeOrSelf(input).isF32() && !isNarrow(input.getType()))
      return {};
  OpOperand *lhs = op.getDpsInputOperand(0), *matrix = op.getDpsInputOperand(1);
  if (!batched.contains(lhs->get()))
    std::swap(lhs, matrix);
  OpOperand *acc = op.getDpsInitOperand(0);
  if (!batched.contains(lhs->get()) || batched.contains(matrix->get()))
    return {};

  AffineMap lhsMap = op.getMatchingIndexingMap(lhs);
  AffineMap matrixMap = op.getMatchingIndexingMap(matrix);
  AffineMap accMap = op.getMatchingIndexingMap(acc);
  unsigned rank = accMap.getNumResults();
  if (!lhsMap.isProjectedPermutation() || !matrixMap.isProjectedPermutation() ||
      !accMap.isProjectedPermutation() || matrixMap.getNumResults() != 2 ||
      lhsMap.getNumResults() != rank || op.getNumLoops() != rank + 1 ||
      (rank != 2 && rank != 3))
    return {};
  for (unsigned i = 0; i + 1 < rank; ++i)
    if (lhsMap.getResult(i) != accMap.getResult(i))
      return {};
  AffineExpr n = accMap.getResults().back(), k = lhsMap.getResults().back();
  if (matrixMap.getResult(0) == n && matrixMap.getResult(1) == k)
    return RowContraction{lhs, matrix, acc, true};
  if (matrixMap.getResult(0) == k && matrixMap.getResult(1) == n)
    return RowContraction{lhs, matrix, acc, false};
  return {};
}

static Value packIntoPanels(OpBuilder &builder, Location loc, Value matrix,
                            bool columnsFirst, int64_t width) {
  auto type = cast<RankedTensorType>(matrix.getType());
  unsigned columnDim = columnsFirst ? 0 : 1;
  int64_t n = type.getDimSize(columnDim), k = type.getDimSize(1 - columnDim);
  Value panels = tensor::EmptyOp::create(
      builder, loc,
      ArrayRef<int64_t>{static_cast<int64_t>(llvm::divideCeil(n, width)), k,
                        width},
      type.getElementType());
  std::optional<Value> padding;
  if (n % width != 0)
    padding = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(type.getElementType()));
  SmallVector<int64_t> perm;
  if (!columnsFirst)
    perm = {1, 0};
  return linalg::PackOp::create(
             builder, loc, matrix, panels, {static_cast<int64_t>(columnDim)},
             {OpFoldResult(builder.getIndexAttr(width))}, padding, perm)
      .getResult();
}

namespace {
struct PackWeights : dynbatch::impl::PackWeightsBase<PackWeights> {
  using PackWeightsBase::PackWeightsBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (panelWidth > 0)
      return success();
    return emitError(UnknownLoc::get(context))
           << "dynbatch-pack-weights: panel-width must be positive, but is "
           << panelWidth;
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.isExternal() || !kernel.isBatched())
      return;
    BatchedValues batched(kernel);
    IRRewriter rewriter(&getContext());
    SmallVector<std::pair<LinalgOp, RowContraction>> contractions;
    for (auto op : kernel.getBody().getOps<LinalgOp>())
      if (std::optional<RowContraction> match =
              matchRowContraction(op, batched))
        contractions.emplace_back(op, *match);
    // One matrix is packed once, however often it is used.
    DenseMap<std::pair<Value, unsigned>, Value> packed;
    for (auto &[op, contraction] : contractions) {
      Value matrix = contraction.matrix->get(), acc = contraction.acc->get();
      Value &panels = packed[{matrix, contraction.columnsFirst}];
      if (!panels) {
        rewriter.setInsertionPointAfterValue(matrix);
        panels = packIntoPanels(rewriter, op.getLoc(), matrix,
                                contraction.columnsFirst, panelWidth);
      }
      rewriter.setInsertionPoint(op);
      Value lhs = contraction.lhs->get();
      // The microkernel reads a row again for each panel.
      if (isNarrow(lhs.getType()))
        lhs = widen(rewriter, op.getLoc(), lhs, kernel.getBatchSize());
      rewriter.replaceOpWithNewOp<PanelMatmulOp>(
          op, acc.getType(), lhs, /*first=*/Value(), panels, acc);
      ++numPacked;
    }
  }
};
} // namespace
