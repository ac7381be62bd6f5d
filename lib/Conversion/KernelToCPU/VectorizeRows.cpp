//===- VectorizeRows.cpp - Vector code for ops on single rows -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizeRows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Tiles `op` to one vector of the last loop; `lanes` divides that loop.
static FailureOr<linalg::LinalgOp> tileToVector(RewriterBase &rewriter,
                                                linalg::LinalgOp op,
                                                int64_t lanes) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> sizes(ranges.size(), rewriter.getIndexAttr(1));
  sizes.back() = rewriter.getIndexAttr(lanes);
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

/// Whether vector code can be written for `op`.
static bool isVectorizable(linalg::LinalgOp op) {
  return op.getNumLoops() > 0 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         !ShapedType::isDynamicShape(op.getStaticLoopRanges()) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Vector code for `op`, which isVectorizable.
static LogicalResult vectorizeOp(RewriterBase &rewriter, linalg::LinalgOp op,
                                 int64_t lanes) {
  int64_t size = op.getStaticLoopRanges().back();
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
                        op.getNumLoops() - 1, rewriter.getIndexAttr(whole));
    parts.emplace_back(cast<linalg::LinalgOp>(first.getOperation()), lanes);
    parts.emplace_back(cast<linalg::LinalgOp>(rest.getOperation()),
                       size - whole);
  }
  for (auto [part, width] : parts) {
    FailureOr<linalg::LinalgOp> tiled = tileToVector(rewriter, part, width);
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
    if (failed(isVectorizable(op) ? vectorizeOp(rewriter, op, lanes)
                                  : lowerToLoops(rewriter, op)))
      return failure();
  }

  // One-dimensional loads, stores and arithmetic.
  RewritePatternSet vectors(context);
  vector::populateVectorTransferPermutationMapLoweringPatterns(vectors);
  vector::populateDropUnitDimWithShapeCastPatterns(vectors);
  vector::populateCastAwayVectorLeadingOneDimPatterns(vectors);
  vector::populateVectorTransferDropUnitDimsPatterns(vectors);
  vector::populateVectorBroadcastLoweringPatterns(vectors);
  vector::populateVectorShapeCastLoweringPatterns(vectors);
  vector::populateVectorTransferLoweringPatterns(vectors, /*maxTransferRank=*/1);
  vector::TransferReadOp::getCanonicalizationPatterns(vectors, context);
  vector::TransferWriteOp::getCanonicalizationPatterns(vectors, context);
  memref::SubViewOp::getCanonicalizationPatterns(vectors, context);
  if (failed(applyPatternsGreedily(func, std::move(vectors))))
    return failure();

  RewritePatternSet maths(context);
  populateMathPolynomialApproximationPatterns(maths);
  return applyPatternsGreedily(func, std::move(maths));
}
