//===- Slots.cpp - Values in cells -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots.h"
#include "dynbatch/Runtime/ABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

Type mlir::dynbatch::getHandleType(MLIRContext *context) {
  Type i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(context, {i64, i64});
}

Value mlir::dynbatch::createHandle(OpBuilder &builder, Location loc,
                                   Value address, Value stamp) {
  Value handle =
      LLVM::PoisonOp::create(builder, loc, getHandleType(builder.getContext()));
  handle = LLVM::InsertValueOp::create(builder, loc, handle, address,
                                       ArrayRef<int64_t>{0});
  return LLVM::InsertValueOp::create(builder, loc, handle, stamp,
                                     ArrayRef<int64_t>{1});
}

Value mlir::dynbatch::getHandleAddress(OpBuilder &builder, Location loc,
                                       Value handle) {
  return LLVM::ExtractValueOp::create(builder, loc, handle,
                                      ArrayRef<int64_t>{0});
}

Value mlir::dynbatch::getHandleStamp(OpBuilder &builder, Location loc,
                                     Value handle) {
  return LLVM::ExtractValueOp::create(builder, loc, handle,
                                      ArrayRef<int64_t>{1});
}

int64_t mlir::dynbatch::getSlotBytes(Type type) {
  return isa<RankedTensorType, LLVM::LLVMStructType>(type)
             ? sizeof(dynbatch_tensor)
             : sizeof(int64_t);
}

Value mlir::dynbatch::packWord(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, i64, value);
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  if (auto type = dyn_cast<FloatType>(value.getType()))
    value = arith::BitcastOp::create(
        builder, loc, builder.getIntegerType(type.getWidth()), value);
  if (value.getType() == i64)
    return value;
  return arith::ExtUIOp::create(builder, loc, i64, value);
}

Value mlir::dynbatch::unpackWord(OpBuilder &builder, Location loc, Value word,
                                 Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(builder, loc, type, word);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, word);
  Type integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (integer != word.getType())
    word = arith::TruncIOp::create(builder, loc, integer, word);
  return type == integer ? word
                         : arith::BitcastOp::create(builder, loc, type, word);
}

void mlir::dynbatch::storeSlot(OpBuilder &builder, Location loc, Value value,
                               Value address) {
  if (!isa<LLVM::LLVMStructType, LLVM::LLVMPointerType>(value.getType()))
    value = packWord(builder, loc, value);
  LLVM::StoreOp::create(builder, loc, value, address);
}

Value mlir::dynbatch::loadSlot(OpBuilder &builder, Location loc, Value address,
                               Type type) {
  if (isa<LLVM::LLVMStructType, LLVM::LLVMPointerType>(type))
    return LLVM::LoadOp::create(builder, loc, type, address);
  Value word =
      LLVM::LoadOp::create(builder, loc, builder.getI64Type(), address);
  return unpackWord(builder, loc, word, type);
}
