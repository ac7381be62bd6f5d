//===- PrepareTensors.cpp - Simpler tensor ops before bufferization -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareTensors.h"
#include "dynbatch/Analysis/Contractions.h"
#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_DECOMPOSETENSOROPS
#define GEN_PASS_DEF_COPIESTOLINALG
#include "dynbatch/Conversion/KernelToCPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// Ops that are made of structured ops, such as softmax.
struct DecomposeAggregate
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "has no decomposition");
    rewriter.replaceOp(op, *results);
    return success();
  }
};
} // namespace

namespace {
/// A contraction that sums over a concatenation, by one for each of its pieces,
/// so that no piece is copied. The pieces follow in ascending order, so the
/// microkernel's chains of sums stay the same.
struct SplitSumOverConcat : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !isPlainContraction(op) ||
        op.getNumReductionLoops() != 1)
      return rewriter.notifyMatchFailure(op, "is no contraction over one loop");
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    AffineExpr summed = rewriter.getAffineDimExpr(loops.front());
    for (unsigned number : {0, 1}) {
      auto concat = op->getOperand(number).getDefiningOp<tensor::ConcatOp>();
      if (concat && isSummed(op, number, concat, summed)) {
        split(rewriter, op, number, concat, summed);
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "no input is such a concatenation");
  }

private:
  /// Whether the loop goes along the concatenation, whose pieces are known.
  static bool isSummed(linalg::LinalgOp op, unsigned number,
                       tensor::ConcatOp concat, AffineExpr summed) {
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(number));
    return map.getResult(concat.getDim()) == summed &&
           llvm::all_of(concat.getInputs().getTypes(), [&](Type type) {
             return !cast<RankedTensorType>(type).isDynamicDim(concat.getDim());
           });
  }

  static void split(PatternRewriter &rewriter, linalg::LinalgOp op,
                    unsigned number, tensor::ConcatOp concat,
                    AffineExpr summed) {
    OpOperand &other = op->getOpOperand(1 - number);
    AffineMap map = op.getMatchingIndexingMap(&other);
    Value sum = op.getDpsInits().front();
    int64_t begin = 0;
    for (Value piece : concat.getInputs()) {
      int64_t size =
          cast<RankedTensorType>(piece.getType()).getDimSize(concat.getDim());
      SmallVector<Value> operands(3, sum);
      operands[number] = piece;
      operands[1 - number] =
          slice(rewriter, op.getLoc(), other.get(), map, summed, begin, size);
      sum = clone(rewriter, op, op->getResultTypes(), operands)->getResult(0);
      begin += size;
    }
    rewriter.replaceOp(op, sum);
  }

  /// The part of `value` that the loop reads in these iterations.
  static Value slice(PatternRewriter &rewriter, Location loc, Value value,
                     AffineMap map, AffineExpr summed, int64_t begin,
                     int64_t size) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, value);
    SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == summed) {
        offsets[dim] = rewriter.getIndexAttr(begin);
        sizes[dim] = rewriter.getIndexAttr(size);
      }
    return tensor::ExtractSliceOp::create(rewriter, loc, value, offsets, sizes,
                                          strides);
  }
};
} // namespace

LogicalResult mlir::dynbatch::decomposeOps(Operation *root) {
  // Before concatenations are taken apart.
  RewritePatternSet split(root->getContext());
  split.add<SplitSumOverConcat>(root->getContext());
  if (failed(applyPatternsGreedily(root, std::move(split))))
    return failure();
  RewritePatternSet patterns(root->getContext());
  patterns.add<DecomposeAggregate, linalg::DecomposePadOpPattern>(
      root->getContext());
  patterns.add(+[](linalg::PackOp op, PatternRewriter &rewriter) {
    return LogicalResult(linalg::lowerPack(rewriter, op));
  });
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

/// Offsets (with `leading`) or sizes of one row of `type`.
static SmallVector<OpFoldResult> getRowOf(OpBuilder &builder,
                                          RankedTensorType type,
                                          OpFoldResult leading, bool sizes) {
  SmallVector<OpFoldResult> all = {leading};
  for (int64_t size : type.getShape().drop_front())
    all.push_back(builder.getIndexAttr(sizes ? size : 0));
  return all;
}

static void expandGather(RewriterBase &rewriter, GatherOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = cast<RankedTensorType>(op.getType());
  rewriter.setInsertionPoint(op);
  SmallVector<Value> dynamicSizes;
  if (type.isDynamicDim(0))
    dynamicSizes.push_back(op.getCount());
  Value empty = tensor::EmptyOp::create(rewriter, loc, type, dynamicSizes);
  OpFoldResult one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> strides(type.getRank(), one);
  auto loop = scf::ForOp::create(
      rewriter, loc, arith::ConstantIndexOp::create(rewriter, loc, 0),
      op.getCount(), arith::ConstantIndexOp::create(rewriter, loc, 1), empty,
      [&](OpBuilder &builder, Location loc, Value row, ValueRange carried) {
        Value task = arith::AddIOp::create(builder, loc, op.getFirst(), row);
        Value tensor = GatherOp::create(builder, loc, op.getRows(), task, one);
        Value next = tensor::InsertSliceOp::create(
            builder, loc, tensor, carried.front(),
            getRowOf(builder, type, row, false),
            getRowOf(builder, type, one, true), strides);
        scf::YieldOp::create(builder, loc, next);
      });
  rewriter.replaceOp(op, loop);
}

static void expandScatter(RewriterBase &rewriter, ScatterOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  rewriter.setInsertionPoint(op);
  OpFoldResult one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> strides(type.getRank(), one);
  Value count = tensor::DimOp::create(rewriter, loc, op.getTensor(), 0);
  scf::ForOp::create(
      rewriter, loc, arith::ConstantIndexOp::create(rewriter, loc, 0), count,
      arith::ConstantIndexOp::create(rewriter, loc, 1), ValueRange(),
      [&](OpBuilder &builder, Location loc, Value row, ValueRange) {
        Value task = arith::AddIOp::create(builder, loc, op.getFirst(), row);
        Value slice = tensor::ExtractSliceOp::create(
            builder, loc, op.getRows().getType().getBatchedType(1),
            op.getTensor(), getRowOf(builder, type, row, false),
            getRowOf(builder, type, one, true), strides);
        ScatterOp::create(builder, loc, slice, op.getRows(), task);
        scf::YieldOp::create(builder, loc);
      });
  rewriter.eraseOp(op);
}

void mlir::dynbatch::expandToRows(RewriterBase &rewriter, func::FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<GatherOp, ScatterOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto gather = dyn_cast<GatherOp>(op)) {
      if (cast<RankedTensorType>(gather.getType()).getDimSize(0) != 1)
        expandGather(rewriter, gather);
    } else if (auto scatter = cast<ScatterOp>(op);
               cast<RankedTensorType>(scatter.getTensor().getType())
                   .getDimSize(0) != 1) {
      expandScatter(rewriter, scatter);
    }
  }
}

void mlir::dynbatch::copiesToLinalg(RewriterBase &rewriter, Operation *root) {
  SmallVector<memref::CopyOp> copies;
  root->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    if (copy.getSource() == copy.getTarget()) {
      rewriter.eraseOp(copy);
      continue;
    }
    rewriter.setInsertionPoint(copy);
    rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(),
                                                copy.getTarget());
  }
}

namespace {
struct DecomposeTensorOps
    : dynbatch::impl::DecomposeTensorOpsBase<DecomposeTensorOps> {
  void runOnOperation() override {
    if (failed(decomposeOps(getOperation())))
      signalPassFailure();
  }
};

struct CopiesToLinalg : dynbatch::impl::CopiesToLinalgBase<CopiesToLinalg> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    copiesToLinalg(rewriter, getOperation());
  }
};
} // namespace
