//===- PrepareTensors.cpp - Simpler tensor ops before bufferization -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareTensors.h"
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

LogicalResult mlir::dynbatch::decomposeOps(Operation *root) {
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
