//===- TaskPatterns.cpp - Tasks and depths to LLVM -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "dynbatch/Conversion/KernelLayout.h"
#include "dynbatch/Runtime/ABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// The part of a stamp above the depth: epoch and stage (i64).
static Value createStampBase(RuntimeCalls &runtime, OpBuilder &builder,
                             Location loc, Value ctx, int64_t stage) {
  Value epoch = LLVM::LoadOp::create(
      builder, loc, builder.getI64Type(),
      runtime.createOffset(builder, loc, ctx,
                           offsetof(dynbatch_context, epoch)));
  return arith::OrIOp::create(
      builder, loc, epoch,
      runtime.createI64(builder, loc, stage << DYNBATCH_STAMP_STAGE_SHIFT));
}

namespace {
struct EnqueueLowering : HostPattern<EnqueueOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(EnqueueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    StringAttr name = op.getKernelAttr().getAttr();
    KernelOp kernel = lowering.kernels.lookup(name);
    if (!kernel.getStage() || !kernel.getImplementation())
      return op.emitOpError() << "kernel @" << name.getValue()
                              << " is not scheduled and lowered yet";
    Value ctx = HostLowering::getContext(op);
    Value depth =
        op.getDepth()
            ? arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(),
                                         adaptor.getDepth())
                  .getResult()
            : runtime.createI64(rewriter, loc, 0);
    SmallVector<Value> words;
    for (Value operand : adaptor.getTaskOperands())
      words.push_back(isa<LLVM::LLVMStructType>(operand.getType())
                          ? getHandleAddress(rewriter, loc, operand)
                          : packWord(rewriter, loc, operand));
    // Buckets are numbered by round; one that takes steps has none that
    // compiled code knows.
    Value bucket = depth;
    if (kernel.getTurn() && *kernel.getTurn() != Turn::Steps)
      bucket = arith::ShRUIOp::create(
          rewriter, loc, depth, runtime.createI64(rewriter, loc, kStepBits));
    KernelLayout layout(kernel);
    Value block = runtime.createEnqueue(rewriter, loc, ctx, kernel,
                                        lowering.getKernelIndex(name),
                                        layout.getResultBytes(), bucket, words);
    Value stamp = arith::OrIOp::create(
        rewriter, loc,
        createStampBase(runtime, rewriter, loc, ctx, *kernel.getStage()),
        depth);
    SmallVector<Value> results;
    for (unsigned i = 0, e = op.getNumResults(); i < e; ++i) {
      Value address = arith::AddIOp::create(
          rewriter, loc, block,
          runtime.createI64(rewriter, loc, layout.getResultOffset(i)));
      results.push_back(createHandle(rewriter, loc, address, stamp));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// The low half of the stamp when its high half names this stage and flush.
struct DepthLowering : HostPattern<DepthOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(DepthOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    Value stamp = getHandleStamp(rewriter, loc, adaptor.getTensor());
    Value base = createStampBase(runtime, rewriter, loc,
                                 HostLowering::getContext(op), op.getStage());
    // Exactly the depth if the upper bits agree.
    Value difference = arith::XOrIOp::create(rewriter, loc, stamp, base);
    Value limit = runtime.createI64(rewriter, loc,
                                    int64_t(1) << DYNBATCH_STAMP_STAGE_SHIFT);
    Value pending = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, difference, limit);
    Value depth = arith::SelectOp::create(rewriter, loc, pending, difference,
                                          runtime.createI64(rewriter, loc, 0));
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    depth);
    return success();
  }
};
} // namespace

void mlir::dynbatch::populateTasksToLLVMPatterns(HostTypeConverter &converter,
                                                 RewritePatternSet &patterns,
                                                 HostLowering &lowering) {
  patterns.add<DepthLowering, EnqueueLowering>(converter, patterns.getContext(),
                                               lowering);
}
