//===- FiberPatterns.cpp - Concurrent calls to LLVM -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A spawned call has a frame on the host heap: the fiber's handle, the slots of
// the results, the slots of the arguments.

#include "Lowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dynbatch;

static constexpr int64_t kHandleBytes = sizeof(int64_t);
static constexpr int64_t kCellAlignment = 16;

namespace {
struct SpawnLowering : HostPattern<SpawnOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(SpawnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    Value ctx = HostLowering::getContext(op);
    int64_t offset = kHandleBytes;
    for (Type type : op.getFiber().getType().getResultTypes())
      offset += getSlotBytes(type);
    int64_t bytes = offset;
    for (Value argument : adaptor.getArguments())
      bytes += getSlotBytes(argument.getType());
    Value frame = runtime.createHeapAlloc(
        rewriter, loc, ctx,
        runtime.createI64(rewriter, loc, llvm::alignTo(bytes, kCellAlignment)));
    for (Value argument : adaptor.getArguments()) {
      storeSlot(rewriter, loc, argument,
                runtime.createOffset(rewriter, loc, frame, offset));
      offset += getSlotBytes(argument.getType());
    }
    Type ptr = frame.getType();
    Value function = func::ConstantOp::create(
        rewriter, loc, rewriter.getFunctionType({ptr, ptr}, {}),
        getFiberFunctionName(op.getCallee()));
    Value pointer =
        UnrealizedConversionCastOp::create(rewriter, loc, ptr, function)
            .getResult(0);
    Value handle = runtime.createSpawn(rewriter, loc, ctx, pointer, frame);
    LLVM::StoreOp::create(rewriter, loc, handle, frame);
    rewriter.replaceOp(op, frame);
    return success();
  }
};

struct JoinLowering : HostPattern<JoinOp> {
  using HostPattern::HostPattern;

  LogicalResult
  matchAndRewrite(JoinOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    Value frame = adaptor.getFiber();
    Value handle = LLVM::LoadOp::create(rewriter, loc, frame.getType(), frame);
    runtime.createJoin(rewriter, loc, HostLowering::getContext(op), handle);
    SmallVector<Value> results;
    int64_t offset = kHandleBytes;
    for (Type type : op.getResultTypes()) {
      Value slot = runtime.createOffset(rewriter, loc, frame, offset);
      offset += getSlotBytes(type);
      results.push_back(
          loadSlot(rewriter, loc, slot, getTypeConverter()->convertType(type)));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void mlir::dynbatch::populateFibersToLLVMPatterns(HostTypeConverter &converter,
                                                  RewritePatternSet &patterns,
                                                  HostLowering &lowering) {
  patterns.add<JoinLowering, SpawnLowering>(converter, patterns.getContext(),
                                            lowering);
}
