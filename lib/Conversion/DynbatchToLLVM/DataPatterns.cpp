//===- DataPatterns.cpp - Data structures and tensor access to LLVM -*- C++
//-*-===//
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
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dynbatch;

static constexpr int64_t kHeaderBytes = sizeof(int64_t);
static constexpr int64_t kCellAlignment = 16;

static Value toI64(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width == 64)
    return value;
  if (width > 64)
    return arith::TruncIOp::create(builder, loc, i64, value);
  // A truth value is 0 or 1.
  if (width == 1)
    return arith::ExtUIOp::create(builder, loc, i64, value);
  return arith::ExtSIOp::create(builder, loc, i64, value);
}

/// base + index * stride + offset, as a pointer.
static Value createElementAddress(RuntimeCalls &runtime, OpBuilder &builder,
                                  Location loc, Value base, Value index,
                                  int64_t stride, int64_t offset) {
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), stride);
  Value first = runtime.createOffset(builder, loc, base, offset);
  return LLVM::GEPOp::create(builder, loc, base.getType(), type, first,
                             ArrayRef<LLVM::GEPArg>{index});
}

/// A new sequence cell; `length` is i64.
static Value createSequence(RuntimeCalls &runtime, OpBuilder &builder,
                            Location loc, Value ctx, Value length,
                            int64_t slotBytes) {
  Value slots = arith::MulIOp::create(
      builder, loc, length, runtime.createI64(builder, loc, slotBytes));
  // Header and rounding up to the alignment.
  Value padded = arith::AddIOp::create(
      builder, loc, slots,
      runtime.createI64(builder, loc, kHeaderBytes + kCellAlignment - 1));
  Value bytes = arith::AndIOp::create(
      builder, loc, padded, runtime.createI64(builder, loc, -kCellAlignment));
  Value cell = runtime.createHeapAlloc(builder, loc, ctx, bytes);
  LLVM::StoreOp::create(builder, loc, length, cell);
  return cell;
}

/// A constant tensor of host code lies in the module.
static LogicalResult verifyConstant(Operation *op, bool isOnDevice) {
  if (isOnDevice)
    return op->emitOpError(
        "is a tensor in host memory, which the device cannot read: run "
        "dynbatch-hoist-prologue{constants=true} first");
  return success();
}

/// A tensor that lies in the module: a new global of `type`.
static Value createConstantHandle(HostLowering &lowering, Operation *op,
                                  Type type, Attribute value,
                                  ConversionPatternRewriter &rewriter) {
  Location loc = op->getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  auto module = op->getParentOfType<ModuleOp>();
  rewriter.setInsertionPointToStart(module.getBody());
  std::string name =
      "dynbatch_constant_" + std::to_string(lowering.runtime.nextConstant());
  auto global = LLVM::GlobalOp::create(rewriter, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name, value,
                                       DYNBATCH_TENSOR_ALIGNMENT);
  rewriter.setInsertionPoint(op);
  Value address = LLVM::PtrToIntOp::create(
      rewriter, loc, rewriter.getI64Type(),
      LLVM::AddressOfOp::create(rewriter, loc, global));
  return createHandle(rewriter, loc, address,
                      lowering.runtime.createI64(rewriter, loc, 0));
}

namespace {
struct ConstructLowering : HostPattern<ConstructOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(ConstructOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    AdtOp adt = lookupAdt(op, op.getResult().getType());
    int64_t bytes = kHeaderBytes;
    for (Value field : adaptor.getFields())
      bytes += getSlotBytes(field.getType());
    Value cell = runtime.createHeapAlloc(
        rewriter, loc, HostLowering::getContext(op),
        runtime.createI64(rewriter, loc, llvm::alignTo(bytes, kCellAlignment)));
    LLVM::StoreOp::create(
        rewriter, loc,
        runtime.createI64(rewriter, loc, *adt.getTag(op.getCtor())), cell);
    int64_t offset = kHeaderBytes;
    for (Value field : adaptor.getFields()) {
      storeSlot(rewriter, loc, field,
                runtime.createOffset(rewriter, loc, cell, offset));
      offset += getSlotBytes(field.getType());
    }
    rewriter.replaceOp(op, cell);
    return success();
  }
};

struct TagLowering : HostPattern<TagOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(TagOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, loadSlot(rewriter, op.getLoc(), adaptor.getValue(),
                                    rewriter.getIndexType()));
    return success();
  }
};

struct FieldLowering : HostPattern<FieldOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(FieldOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    CtorOp ctor = lookupCtor(op, op.getValue().getType(), op.getCtor());
    SmallVector<Type> types = ctor.getFieldTypes();
    int64_t offset = kHeaderBytes;
    for (Type type : ArrayRef(types).take_front(op.getPosition()))
      offset += getSlotBytes(type);
    Value address = lowering.runtime.createOffset(rewriter, op.getLoc(),
                                                  adaptor.getValue(), offset);
    rewriter.replaceOp(op,
                       loadSlot(rewriter, op.getLoc(), address,
                                getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

struct MakeSeqLowering : HostPattern<MakeSeqOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(MakeSeqOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    int64_t bytes = getSlotBytes(op.getResult().getType().getElementType());
    Value cell = createSequence(
        runtime, rewriter, loc, HostLowering::getContext(op),
        runtime.createI64(rewriter, loc, op.getElements().size()), bytes);
    for (auto [i, element] : llvm::enumerate(adaptor.getElements()))
      storeSlot(
          rewriter, loc, element,
          runtime.createOffset(rewriter, loc, cell, kHeaderBytes + i * bytes));
    rewriter.replaceOp(op, cell);
    return success();
  }
};

struct SeqAllocLowering : HostPattern<SeqAllocOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(SeqAllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value length = toI64(rewriter, op.getLoc(), adaptor.getLength());
    rewriter.replaceOp(
        op, createSequence(lowering.runtime, rewriter, op.getLoc(),
                           HostLowering::getContext(op), length,
                           getSlotBytes(op.getType().getElementType())));
    return success();
  }
};

struct LengthLowering : HostPattern<LengthOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(LengthOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, loadSlot(rewriter, op.getLoc(), adaptor.getSeq(),
                                    rewriter.getIndexType()));
    return success();
  }
};

struct GetLowering : HostPattern<GetOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(GetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value index = toI64(rewriter, loc, adaptor.getIndex());
    Value length = LLVM::LoadOp::create(rewriter, loc, rewriter.getI64Type(),
                                        adaptor.getSeq());
    lowering.runtime.createCheckIndex(
        rewriter, loc, HostLowering::getContext(op), "get", index, length);
    Value address =
        createElementAddress(lowering.runtime, rewriter, loc, adaptor.getSeq(),
                             index, getSlotBytes(op.getType()), kHeaderBytes);
    rewriter.replaceOp(op,
                       loadSlot(rewriter, loc, address,
                                getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

struct SeqSetLowering : HostPattern<SeqSetOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(SeqSetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value index = toI64(rewriter, loc, adaptor.getIndex());
    Value address = createElementAddress(
        lowering.runtime, rewriter, loc, adaptor.getSeq(), index,
        getSlotBytes(adaptor.getValue().getType()), kHeaderBytes);
    storeSlot(rewriter, loc, adaptor.getValue(), address);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A row of a table is a view: the table's stamp, a later address.
struct LookupLowering : HostPattern<LookupOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(LookupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    auto table = cast<RankedTensorType>(op.getTable().getType());
    auto row = cast<RankedTensorType>(op.getRow().getType());
    Value index = toI64(rewriter, loc, adaptor.getIndex());
    runtime.createCheckIndex(
        rewriter, loc, HostLowering::getContext(op), "lookup", index,
        runtime.createI64(rewriter, loc, table.getDimSize(0)));
    int64_t rowBytes =
        row.getNumElements() * getElementBytes(row.getElementType());
    Value offset = arith::MulIOp::create(
        rewriter, loc, index, runtime.createI64(rewriter, loc, rowBytes));
    Value address = arith::AddIOp::create(
        rewriter, loc, getHandleAddress(rewriter, loc, adaptor.getTable()),
        offset);
    rewriter.replaceOp(
        op, createHandle(rewriter, loc, address,
                         getHandleStamp(rewriter, loc, adaptor.getTable())));
    return success();
  }
};

struct ReadLowering : HostPattern<ReadOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(ReadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCalls &runtime = lowering.runtime;
    Value ctx = HostLowering::getContext(op);
    auto type = cast<RankedTensorType>(op.getTensor().getType());
    Value stamp = getHandleStamp(rewriter, loc, adaptor.getTensor());
    Value base = getHandleAddress(rewriter, loc, adaptor.getTensor());
    // A device's memory is read once the indices are checked.
    if (!lowering.isOnDevice)
      runtime.createForce(rewriter, loc, ctx, stamp);
    Value linear = runtime.createI64(rewriter, loc, 0);
    for (auto [size, value] :
         llvm::zip_equal(type.getShape(), adaptor.getIndices())) {
      Value index = toI64(rewriter, loc, value);
      Value bound = runtime.createI64(rewriter, loc, size);
      runtime.createCheckIndex(rewriter, loc, ctx, "read", index, bound);
      linear = arith::MulIOp::create(rewriter, loc, linear, bound);
      linear = arith::AddIOp::create(rewriter, loc, linear, index);
    }
    Type element = type.getElementType();
    int64_t bytes = getElementBytes(element);
    Value address;
    if (lowering.isOnDevice) {
      Value offset = arith::MulIOp::create(
          rewriter, loc, linear, runtime.createI64(rewriter, loc, bytes));
      address = runtime.createRead(
          rewriter, loc, ctx,
          arith::AddIOp::create(rewriter, loc, base, offset), stamp, bytes);
    } else {
      address = createElementAddress(
          runtime, rewriter, loc,
          LLVM::IntToPtrOp::create(
              rewriter, loc, LLVM::LLVMPointerType::get(getContext()), base),
          linear, bytes, /*offset=*/0);
    }
    // Memory holds an index as 64 bits and an i1 as a byte.
    Type stored = element.isIndex()      ? Type(rewriter.getI64Type())
                  : element.isInteger(1) ? Type(rewriter.getI8Type())
                                         : element;
    Value value = LLVM::LoadOp::create(rewriter, loc, stored, address);
    if (element.isIndex())
      value = arith::IndexCastOp::create(rewriter, loc, element, value);
    else if (element.isInteger(1))
      value = arith::TruncIOp::create(rewriter, loc, element, value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// Parameters are always ready: stamp 0.
struct ParameterLowering : HostPattern<ml_program::GlobalLoadConstOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(ml_program::GlobalLoadConstOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringAttr name = op.getGlobal().getLeafReference();
    if (!lowering.parameters.contains(name))
      return op.emitOpError()
             << "loads '" << name.getValue()
             << "', which is not a parameter: expected an immutable global "
                "with an external value";
    Value address = lowering.runtime.createParameterAddress(
        rewriter, op.getLoc(), HostLowering::getContext(op),
        lowering.getParameterIndex(name));
    rewriter.replaceOp(
        op, createHandle(rewriter, op.getLoc(), address,
                         lowering.runtime.createI64(rewriter, op.getLoc(), 0)));
    return success();
  }
};

/// A tensor constant that host code passes on lives in the module.
struct TensorConstantLowering : HostPattern<arith::ConstantOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not a tensor");
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (failed(verifyConstant(op, lowering.isOnDevice)))
      return failure();
    if (!dense)
      return op.emitOpError() << "cannot pass a constant between tasks whose "
                                 "elements are not in the attribute itself";
    // Memory holds an index as 64 bits and an i1 as a byte.
    Type element = type.getElementType();
    if (element.isIndex() || element.isInteger(1)) {
      unsigned width = element.isIndex() ? 64 : 8;
      element = rewriter.getIntegerType(width);
      dense = cast<DenseIntElementsAttr>(dense).mapValues(
          element,
          [&](const APInt &value) { return value.zextOrTrunc(width); });
    }
    auto array = LLVM::LLVMArrayType::get(element, type.getNumElements());
    auto flat =
        dense.reshape(RankedTensorType::get({type.getNumElements()}, element));
    rewriter.replaceOp(
        op, createConstantHandle(lowering, op, array, flat, rewriter));
    return success();
  }
};

/// The elements of an empty tensor may be anything: zeros.
struct TensorEmptyLowering : HostPattern<tensor::EmptyOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(tensor::EmptyOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyConstant(op, lowering.isOnDevice)))
      return failure();
    RankedTensorType type = op.getType();
    Type byte = rewriter.getI8Type();
    int64_t bytes =
        type.getNumElements() * getElementBytes(type.getElementType());
    rewriter.replaceOp(
        op, createConstantHandle(
                lowering, op, LLVM::LLVMArrayType::get(byte, bytes),
                rewriter.getZeroAttr(RankedTensorType::get({bytes}, byte)),
                rewriter));
    return success();
  }
};

struct AssertLowering : HostPattern<cf::AssertOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    lowering.runtime.createCheck(rewriter, op.getLoc(),
                                 HostLowering::getContext(op), adaptor.getArg(),
                                 op.getMsg());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void mlir::dynbatch::populateDataToLLVMPatterns(HostTypeConverter &converter,
                                                RewritePatternSet &patterns,
                                                HostLowering &lowering) {
  patterns
      .add<AssertLowering, ConstructLowering, FieldLowering, GetLowering,
           LengthLowering, LookupLowering, MakeSeqLowering, ParameterLowering,
           ReadLowering, SeqAllocLowering, SeqSetLowering, TagLowering,
           TensorConstantLowering, TensorEmptyLowering>(
          converter, patterns.getContext(), lowering);
}
