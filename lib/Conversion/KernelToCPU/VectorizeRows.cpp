//===- VectorizeRows.cpp - Vector code for ops on single rows -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizeRows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Hoisting.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Tiles `op` to one vector along `loop`, which `lanes` divides.
static FailureOr<linalg::LinalgOp> tileToVector(RewriterBase &rewriter,
                                                linalg::LinalgOp op,
                                                unsigned loop, int64_t lanes) {
  SmallVector<OpFoldResult> sizes;
  for (auto [i, range] : llvm::enumerate(op.getStaticLoopRanges())) {
    int64_t size = i == loop ? lanes : 1;
    // 0: not tiled.
    sizes.push_back(rewriter.getIndexAttr(size == range ? 0 : size));
  }
  if (llvm::all_of(sizes,
                   [](OpFoldResult size) { return isZeroInteger(size); }))
    return op;
  rewriter.setInsertionPoint(op);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(result))
    return failure();
  rewriter.eraseOp(op);
  return cast<linalg::LinalgOp>(result->tiledOps.front());
}

static LogicalResult lowerToLoops(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  if (failed(linalg::linalgOpToLoops(rewriter, op)))
    return op.emitOpError("cannot be lowered to loops");
  rewriter.eraseOp(op);
  return success();
}

/// Whether consecutive iterations of `loop` use consecutive elements of
/// `operand`, or always the same one.
static bool isContiguous(linalg::LinalgOp op, OpOperand &operand,
                         unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    if (!result.isFunctionOfDim(loop))
      continue;
    if (i + 1 != map.getNumResults() || !isa<AffineDimExpr>(result))
      return false;
  }
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  return !type || type.getRank() == 0 || type.isLastDimUnitStride();
}

/// The loop to write vector code for: a parallel one if possible, or else the
/// last reduction.
static std::optional<unsigned> chooseVectorLoop(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  // Anything but permutations would need gathers.
  if (!llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  for (auto kind :
       {utils::IteratorType::parallel, utils::IteratorType::reduction})
    for (unsigned loop = ranges.size(); loop-- > 0;)
      if (iterators[loop] == kind && !ShapedType::isDynamic(ranges[loop]) &&
          ranges[loop] > 1 &&
          llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
            return isContiguous(op, operand, loop);
          }))
        return loop;
  return {};
}

/// Vector code for `op` along `loop`.
static LogicalResult vectorizeOp(RewriterBase &rewriter, linalg::LinalgOp op,
                                 unsigned loop, int64_t lanes) {
  int64_t size = op.getStaticLoopRanges()[loop];
  SmallVector<std::pair<linalg::LinalgOp, int64_t>> parts;
  int64_t whole = size / lanes * lanes;
  if (whole == 0) {
    parts.emplace_back(op, size);
  } else if (whole == size) {
    parts.emplace_back(op, lanes);
  } else {
    rewriter.setInsertionPoint(op);
    auto [first, rest] =
        linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()),
                        loop, rewriter.getIndexAttr(whole));
    parts.emplace_back(cast<linalg::LinalgOp>(first.getOperation()), lanes);
    parts.emplace_back(cast<linalg::LinalgOp>(rest.getOperation()),
                       size - whole);
  }
  for (auto [part, width] : parts) {
    FailureOr<linalg::LinalgOp> tiled =
        tileToVector(rewriter, part, loop, width);
    linalg::LinalgOp op = succeeded(tiled) ? *tiled : part;
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::VectorizationResult> result =
        linalg::vectorize(rewriter, op);
    if (succeeded(result))
      rewriter.replaceOp(op, result->replacements);
    else if (failed(lowerToLoops(rewriter, op)))
      return failure();
  }
  return success();
}

LogicalResult mlir::dynbatch::vectorizeRows(FunctionOpInterface func,
                                            int64_t lanes) {
  MLIRContext *context = func.getContext();
  IRRewriter rewriter(context);
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    std::optional<unsigned> loop = chooseVectorLoop(op);
    if (failed(loop ? vectorizeOp(rewriter, op, *loop, lanes)
                    : lowerToLoops(rewriter, op)))
      return failure();
  }

  // Sums stay in registers: what a reduction reads and writes leaves its loop.
  RewritePatternSet views(context);
  memref::populateFoldMemRefAliasOpPatterns(views);
  if (failed(applyPatternsGreedily(func, std::move(views))))
    return failure();
  func.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  linalg::hoistRedundantVectorTransfers(func);

  // One-dimensional loads, stores and arithmetic.
  RewritePatternSet vectors(context);
  vector::populateVectorTransferPermutationMapLoweringPatterns(vectors);
  vector::populateDropUnitDimWithShapeCastPatterns(vectors);
  vector::populateCastAwayVectorLeadingOneDimPatterns(vectors);
  vector::populateVectorTransferDropUnitDimsPatterns(vectors);
  vector::populateVectorMultiReductionLoweringPatterns(
      vectors, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorBroadcastLoweringPatterns(vectors);
  vector::populateVectorShapeCastLoweringPatterns(vectors);
  vector::populateVectorTransferLoweringPatterns(vectors,
                                                 /*maxTransferRank=*/1);
  vector::TransferReadOp::getCanonicalizationPatterns(vectors, context);
  vector::TransferWriteOp::getCanonicalizationPatterns(vectors, context);
  memref::SubViewOp::getCanonicalizationPatterns(vectors, context);
  if (failed(applyPatternsGreedily(func, std::move(vectors))))
    return failure();

  RewritePatternSet maths(context);
  populateMathPolynomialApproximationPatterns(maths);
  return applyPatternsGreedily(func, std::move(maths));
}
