//===- ExpandOps.cpp - Break kernel ops down to loads and stores -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuToSimt.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
struct CopyLowering : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::CopyOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "unranked");
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    SmallVector<Value> begins(type.getRank(), zero), ends;
    SmallVector<Value> steps(type.getRank(), one);
    for (int64_t i = 0; i < type.getRank(); ++i)
      ends.push_back(memref::DimOp::create(rewriter, loc, op.getSource(), i));
    scf::buildLoopNest(rewriter, loc, begins, ends, steps,
                       [&](OpBuilder &builder, Location, ValueRange indices) {
                         Value element = memref::LoadOp::create(
                             builder, loc, op.getSource(), indices);
                         memref::StoreOp::create(builder, loc, element,
                                                 op.getTarget(), indices);
                       });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

/// Copies at once, element by element; zeros stand behind the last one that is
/// read.
static void expandAsyncCopy(nvgpu::DeviceAsyncCopyOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = arith::ConstantIndexOp::create(
      builder, loc, op.getDstElements().getZExtValue());
  auto loop = scf::ForOp::create(builder, loc, zero, count, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  auto at = [&](OpBuilder &b, OperandRange indices) {
    SmallVector<Value> result(indices);
    result.back() = arith::AddIOp::create(b, loc, result.back(), position);
    return result;
  };
  auto load = [&](OpBuilder &b) -> Value {
    return memref::LoadOp::create(b, loc, op.getSrc(),
                                  at(b, op.getSrcIndices()));
  };
  Value element;
  if (Value read = op.getSrcElements()) {
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, position, read);
    element =
        scf::IfOp::create(
            builder, loc, exists,
            [&](OpBuilder &b, Location) {
              scf::YieldOp::create(b, loc, load(b));
            },
            [&](OpBuilder &b, Location) {
              Type type =
                  cast<MemRefType>(op.getSrc().getType()).getElementType();
              Value none =
                  arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
              scf::YieldOp::create(b, loc, none);
            })
            .getResult(0);
  } else {
    element = load(builder);
  }
  memref::StoreOp::create(builder, loc, element, op.getDst(),
                          at(builder, op.getDstIndices()));
  op.erase();
}

/// Copies are complete when their turn has come: nothing waits for them.
static void expandAsyncCopies(gpu::GPUModuleOp module) {
  module.walk([](nvgpu::DeviceAsyncWaitOp op) { op.erase(); });
  module.walk([](nvgpu::DeviceAsyncCreateGroupOp op) {
    if (op.use_empty())
      op.erase();
  });
  module.walk([](nvgpu::DeviceAsyncCopyOp op) {
    if (op.use_empty())
      expandAsyncCopy(op);
  });
}

void mlir::dynbatch::expandKernelOps(gpu::GPUModuleOp module) {
  expandAsyncCopies(module);
  RewritePatternSet patterns(module.getContext());
  populateGpuAllReducePatterns(patterns);
  populateGpuGlobalIdPatterns(patterns);
  populateGpuBreakDownSubgroupReducePatterns(patterns);
  populateGpuLowerSubgroupReduceToShufflePatterns(patterns,
                                                  DYNBATCH_SIMT_SUBGROUP_SIZE);
  populateGpuLowerClusteredSubgroupReduceToShufflePatterns(
      patterns, DYNBATCH_SIMT_SUBGROUP_SIZE);
  populateVectorToSCFConversionPatterns(patterns);
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
  vector::populateVectorGatherToConditionalLoadPatterns(patterns);
  vector::populateVectorMaskedLoadStoreEmulationPatterns(patterns);
  patterns.add<CopyLowering>(module.getContext());
  (void)applyPatternsGreedily(module, std::move(patterns));
}
