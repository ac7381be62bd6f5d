//===- ThreadPatterns.cpp - What a GPU thread does, as host code -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuToSimt.h"
#include "dynbatch/Conversion/BufferAt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
//===----------------------------------------------------------------------===//
// Ids and sizes
//===----------------------------------------------------------------------===//

/// Replaces `op` by the field at `offset` of what the runtime says about the
/// thread.
LogicalResult replaceByField(Operation *op, int64_t offset,
                             ConversionPatternRewriter &rewriter) {
  Value value =
      loadThreadField(rewriter, op->getLoc(), SimtCalls::getThread(op), offset,
                      rewriter.getI64Type());
  rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                  value);
  return success();
}

template <typename OpT> struct FieldLowering : OpConversionPattern<OpT> {
  FieldLowering(MLIRContext *context, int64_t offset)
      : OpConversionPattern<OpT>(context), offset(offset) {}
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    return replaceByField(op, offset, rewriter);
  }
  int64_t offset;
};

/// One of three numbers, which begin at `offset`.
template <typename OpT> struct TripleLowering : OpConversionPattern<OpT> {
  TripleLowering(MLIRContext *context, int64_t offset)
      : OpConversionPattern<OpT>(context), offset(offset) {}
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto dimension = static_cast<int64_t>(op.getDimension());
    return replaceByField(
        op, offset + dimension * static_cast<int64_t>(sizeof(int64_t)),
        rewriter);
  }
  int64_t offset;
};

struct SubgroupSizeLowering : OpConversionPattern<gpu::SubgroupSizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::SubgroupSizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(
        op, DYNBATCH_SIMT_SUBGROUP_SIZE);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

struct DynamicMemoryLowering : OpConversionPattern<gpu::DynamicSharedMemoryOp> {
  DynamicMemoryLowering(MLIRContext *context, int64_t staticBytes)
      : OpConversionPattern(context), staticBytes(staticBytes) {}

  LogicalResult
  matchAndRewrite(gpu::DynamicSharedMemoryOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value thread = SimtCalls::getThread(op);
    Type i64 = rewriter.getI64Type();
    Value start = loadThreadField(
        rewriter, loc, thread, offsetof(dynbatch_simt_thread, workgroup), i64);
    start = arith::AddIOp::create(rewriter, loc, start,
                                  createI64(rewriter, loc, staticBytes));
    Value bytes = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getIndexType(),
        loadThreadField(rewriter, loc, thread,
                        offsetof(dynbatch_simt_thread, dynamic_bytes), i64));
    Value buffer = createBufferAt(rewriter, loc, start,
                                  MemRefType::get({1}, rewriter.getI8Type()));
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, op.getType(), buffer, rewriter.getIndexAttr(0),
        ArrayRef<OpFoldResult>{bytes},
        ArrayRef<OpFoldResult>{rewriter.getIndexAttr(1)});
    return success();
  }

private:
  int64_t staticBytes;
};

/// Casts between address spaces, of which there is only one now.
template <typename OpT> struct CastLowering : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// What threads do together
//===----------------------------------------------------------------------===//

template <typename OpT> struct SimtPattern : OpConversionPattern<OpT> {
  SimtPattern(MLIRContext *context, SimtCalls &calls)
      : OpConversionPattern<OpT>(context), calls(calls) {}
  SimtCalls &calls;
};

struct BarrierLowering : SimtPattern<gpu::BarrierOp> {
  using SimtPattern::SimtPattern;
  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    calls.createBarrier(rewriter, op);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ShuffleLowering : SimtPattern<gpu::ShuffleOp> {
  using SimtPattern::SimtPattern;
  LogicalResult
  matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getValue().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits =
        vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
               : type.getIntOrFloatBitWidth();
    if (bits > 64)
      return rewriter.notifyMatchFailure(op, "more than 64 bits");
    Type word = rewriter.getIntegerType(bits);
    Type wordVector = VectorType::get({1}, word);
    Value value = adaptor.getValue();
    if (vector)
      value = vector::ExtractOp::create(
          rewriter, loc,
          vector::BitCastOp::create(rewriter, loc, wordVector, value), 0);
    else if (type != word)
      value = arith::BitcastOp::create(rewriter, loc, word, value);
    if (bits < 64)
      value =
          arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(), value);

    auto [result, valid] =
        calls.createShuffle(rewriter, op, getMode(op.getMode()), value,
                            adaptor.getOffset(), adaptor.getWidth());
    if (bits < 64)
      result = arith::TruncIOp::create(rewriter, loc, word, result);
    if (vector)
      result = vector::BitCastOp::create(
          rewriter, loc, type,
          vector::BroadcastOp::create(rewriter, loc, wordVector, result));
    else if (type != word)
      result = arith::BitcastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, {result, valid});
    return success();
  }

  static int32_t getMode(gpu::ShuffleMode mode) {
    switch (mode) {
    case gpu::ShuffleMode::XOR:
      return DYNBATCH_SIMT_SHUFFLE_XOR;
    case gpu::ShuffleMode::DOWN:
      return DYNBATCH_SIMT_SHUFFLE_DOWN;
    case gpu::ShuffleMode::UP:
      return DYNBATCH_SIMT_SHUFFLE_UP;
    case gpu::ShuffleMode::IDX:
      return DYNBATCH_SIMT_SHUFFLE_IDX;
    }
    llvm_unreachable("unknown shuffle mode");
  }
};

struct MmaLowering : SimtPattern<nvgpu::MmaSyncOp> {
  using SimtPattern::SimtPattern;
  LogicalResult
  matchAndRewrite(nvgpu::MmaSyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto elementType = [](Value value) {
      return cast<VectorType>(value.getType()).getElementType();
    };
    Type type = elementType(op.getMatrixA());
    std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
    std::optional<int32_t> kind;
    if (shape[2] == 16 && type.isF16())
      kind = DYNBATCH_SIMT_MMA_F16;
    else if (shape[2] == 16 && type.isBF16())
      kind = DYNBATCH_SIMT_MMA_BF16;
    else if (shape[2] == 8 && type.isF32() && op.getTf32Enabled())
      kind = DYNBATCH_SIMT_MMA_TF32;
    if (shape[0] != 16 || shape[1] != 8 || !kind ||
        !elementType(op.getMatrixC()).isF32())
      return rewriter.notifyMatchFailure(op, "a shape that is not emulated");

    Location loc = op.getLoc();
    SmallVector<Value> fragments;
    for (Value matrix : adaptor.getOperands()) {
      Value flat = flatten(rewriter, loc, matrix);
      fragments.push_back(allocate(rewriter, op, flat.getType()));
      LLVM::StoreOp::create(rewriter, loc, flat, fragments.back());
    }
    auto result = cast<VectorType>(op.getType());
    auto flat =
        VectorType::get({result.getNumElements()}, result.getElementType());
    fragments.push_back(allocate(rewriter, op, flat));
    calls.createMma(rewriter, op, *kind, shape[2], fragments);
    Value loaded = LLVM::LoadOp::create(rewriter, loc, flat, fragments.back());
    rewriter.replaceOpWithNewOp<vector::ShapeCastOp>(op, result, loaded);
    return success();
  }

  static Value flatten(OpBuilder &builder, Location loc, Value matrix) {
    auto type = cast<VectorType>(matrix.getType());
    return vector::ShapeCastOp::create(
        builder, loc,
        VectorType::get({type.getNumElements()}, type.getElementType()),
        matrix);
  }
  /// Stack memory, allocated once however often `op` runs.
  static Value allocate(OpBuilder &builder, Operation *op, Type type) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &op->getParentOfType<func::FuncOp>().getBody().front());
    Value one = createI64(builder, op->getLoc(), 1);
    return LLVM::AllocaOp::create(
        builder, op->getLoc(), LLVM::LLVMPointerType::get(builder.getContext()),
        type, one);
  }
};

struct ReturnLowering : OpConversionPattern<gpu::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};
} // namespace

LogicalResult mlir::dynbatch::convertThreadOps(func::FuncOp func,
                                               SimtCalls &calls,
                                               int64_t staticBytes) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  patterns.add<TripleLowering<gpu::ThreadIdOp>>(
      context, offsetof(dynbatch_simt_thread, thread_id));
  patterns.add<TripleLowering<gpu::BlockIdOp>>(
      context, offsetof(dynbatch_simt_thread, block_id));
  patterns.add<TripleLowering<gpu::BlockDimOp>>(
      context, offsetof(dynbatch_simt_thread, block_dim));
  patterns.add<TripleLowering<gpu::GridDimOp>>(
      context, offsetof(dynbatch_simt_thread, grid_dim));
  patterns.add<FieldLowering<gpu::LaneIdOp>>(
      context, offsetof(dynbatch_simt_thread, lane_id));
  patterns.add<FieldLowering<gpu::SubgroupIdOp>>(
      context, offsetof(dynbatch_simt_thread, subgroup_id));
  patterns.add<FieldLowering<gpu::NumSubgroupsOp>>(
      context, offsetof(dynbatch_simt_thread, num_subgroups));
  patterns.add<DynamicMemoryLowering>(context, staticBytes);
  patterns.add<SubgroupSizeLowering, ReturnLowering,
               CastLowering<memref::MemorySpaceCastOp>,
               CastLowering<LLVM::AddrSpaceCastOp>>(context);
  patterns.add<BarrierLowering, ShuffleLowering, MmaLowering>(context, calls);

  ConversionTarget target(*context);
  target.addIllegalDialect<gpu::GPUDialect, nvgpu::NVGPUDialect,
                           NVVM::NVVMDialect>();
  target.addIllegalOp<memref::MemorySpaceCastOp, LLVM::AddrSpaceCastOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(func, target, std::move(patterns));
}
