//===- TensorOps.cpp - Tensor access and static blocks -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// LookupOp
//===----------------------------------------------------------------------===//

LogicalResult LookupOp::verify() {
  auto table = cast<RankedTensorType>(getTable().getType());
  if (table.getRank() == 0)
    return emitOpError("the table needs at least one dimension");
  auto want = RankedTensorType::get(table.getShape().drop_front(),
                                    table.getElementType());
  if (getRow().getType() != want)
    return emitOpError() << "a row of the table is " << want << ", but got "
                         << getRow().getType();
  return success();
}

namespace {
/// A lookup at a constant index inside of the table is a slice.
struct LookupOfConstant : OpRewritePattern<LookupOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LookupOp op,
                                PatternRewriter &rewriter) const override {
    APInt index;
    if (!matchPattern(op.getIndex(), m_ConstantInt(&index)))
      return rewriter.notifyMatchFailure(op, "index is not constant");
    auto table = cast<RankedTensorType>(op.getTable().getType());
    if (index.isNegative() || index.uge(table.getDimSize(0)))
      return rewriter.notifyMatchFailure(op, "index is out of range");
    SmallVector<OpFoldResult> offsets(table.getRank(),
                                      rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(table.getRank(),
                                      rewriter.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(op.getContext(), table.getShape());
    offsets[0] = rewriter.getIndexAttr(index.getSExtValue());
    sizes[0] = rewriter.getIndexAttr(1);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, cast<RankedTensorType>(op.getRow().getType()), op.getTable(),
        offsets, sizes, strides);
    return success();
  }
};
} // namespace

void LookupOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<LookupOfConstant>(context);
}

//===----------------------------------------------------------------------===//
// ReadOp
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::verify() {
  int64_t rank = cast<RankedTensorType>(getTensor().getType()).getRank();
  if (rank != static_cast<int64_t>(getIndices().size()))
    return emitOpError() << "needs " << rank << " indices, but has "
                         << getIndices().size();
  return success();
}

//===----------------------------------------------------------------------===//
// BlockOp
//===----------------------------------------------------------------------===//

LogicalResult BlockOp::verify() {
  if (getBody().getNumArguments() != 0)
    return emitOpError("captures values from outside, it has no arguments");
  return success();
}

void BlockOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}
