//===- DeviceMemory.cpp - Memory that a device function reaches -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "dynbatch/Conversion/BufferAt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// NVVM's number of the memory that all threads share.
static constexpr unsigned kGlobalSpace = 1;

/// A buffer of this shape in global memory.
static MemRefType getGlobalType(ShapedType type) {
  Type i64 = IntegerType::get(type.getContext(), 64);
  return MemRefType::get(type.getShape(), type.getElementType(),
                         MemRefLayoutAttrInterface(),
                         IntegerAttr::get(i64, kGlobalSpace));
}

DeviceMemory::DeviceMemory(KernelOp kernel, gpu::GPUFuncOp func)
    : kernel(kernel), func(func), layout(kernel) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  Location loc = kernel.getLoc();
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  builder = atStart();
  count = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                     func.getArgument(1));
}

Value DeviceMemory::getAddress(OpBuilder &builder, unsigned index) {
  return LLVM::PtrToIntOp::create(
      builder, kernel.getLoc(), builder.getI64Type(), func.getArgument(index));
}

Value DeviceMemory::getWord(OpBuilder &builder, int64_t word, Position task) {
  if (!table) {
    OpBuilder start = atStart();
    auto type = getGlobalType(MemRefType::get(
        {ShapedType::kDynamic, layout.getRowWords()}, start.getI64Type()));
    table =
        createRowsAt(start, kernel.getLoc(), getAddress(start, 0), count, type);
  }
  unsigned column =
      layout.getRowWords() + kernel.getTaskSignature().getNumResults() + word;
  return getOfTask(
      builder, column, task, [&](OpBuilder &builder, Location loc) -> Value {
        Value position = arith::ConstantIndexOp::create(builder, loc, word);
        return memref::LoadOp::create(
            builder, loc, table,
            ValueRange{materialize(builder, loc, task), position},
            /*nontemporal=*/false, llvm::MaybeAlign(sizeof(int64_t)));
      });
}

Value DeviceMemory::getOfTask(
    OpBuilder &builder, unsigned column, Position task,
    llvm::function_ref<Value(OpBuilder &, Location)> build) {
  Location loc = kernel.getLoc();
  if (task.isConstant() || task.offset != 0)
    return build(builder, loc);
  Value &made = ofTasks[{column, task.value}];
  if (!made) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(task.value);
    Value value = build(builder, loc);
    // `build` may have added other entries.
    return ofTasks[{column, task.value}] = value;
  }
  return made;
}

Value DeviceMemory::getOperand(OpBuilder &builder, unsigned index,
                               Position task) {
  auto type = cast<RankedTensorType>(kernel.getTaskSignature().getInput(index));
  Value address = getWord(builder, index, task);
  return getOfTask(builder, index, task, [&](OpBuilder &builder, Location loc) {
    builder.setInsertionPointAfterValue(address);
    return createBufferAt(builder, loc, address, getGlobalType(type));
  });
}

Value DeviceMemory::getScalarOperand(OpBuilder &builder, unsigned index,
                                     Position task) {
  Type type = kernel.getTaskSignature().getInput(index);
  Value word = getWord(builder, index, task);
  return getOfTask(
      builder, index, task, [&](OpBuilder &builder, Location loc) -> Value {
        builder.setInsertionPointAfterValue(word);
        if (type.isIndex())
          return arith::IndexCastOp::create(builder, loc, type, word);
        Value bits = word;
        unsigned width = type.getIntOrFloatBitWidth();
        if (width < 64)
          bits = arith::TruncIOp::create(builder, loc,
                                         builder.getIntegerType(width), word);
        if (isa<FloatType>(type))
          return arith::BitcastOp::create(builder, loc, type, bits);
        return bits;
      });
}

Value DeviceMemory::getResult(OpBuilder &builder, unsigned index,
                              Position task) {
  auto type =
      cast<RankedTensorType>(kernel.getTaskSignature().getResult(index));
  Value block = getWord(builder, layout.getResultWord(), task);
  return getOfTask(
      builder, layout.getRowWords() + index, task,
      [&](OpBuilder &builder, Location loc) {
        builder.setInsertionPointAfterValue(block);
        Value address = block;
        if (int64_t bytes = layout.getResultOffset(index)) {
          Value offset = arith::ConstantIntOp::create(builder, loc, bytes, 64);
          address = arith::AddIOp::create(builder, loc, block, offset);
        }
        return createBufferAt(builder, loc, address, getGlobalType(type));
      });
}

Value DeviceMemory::getParameter(ml_program::GlobalLoadConstOp load) {
  StringAttr name = load.getGlobal().getLeafReference();
  Value &buffer = parameters[name];
  if (buffer)
    return buffer;
  SmallVector<ml_program::GlobalOp> all =
      getParameters(kernel->getParentOfType<ModuleOp>());
  auto *it = llvm::find_if(all, [&](ml_program::GlobalOp global) {
    return global.getSymNameAttr() == name;
  });
  OpBuilder builder = atStart();
  Location loc = load.getLoc();
  int64_t number = it - all.begin();
  Type i64 = builder.getI64Type();
  auto words = MemRefType::get({static_cast<int64_t>(all.size())}, i64);
  Value table = createBufferAt(builder, loc, getAddress(builder, 3),
                               getGlobalType(words));
  Value address = memref::LoadOp::create(
      builder, loc, table,
      ValueRange{arith::ConstantIndexOp::create(builder, loc, number)},
      /*nontemporal=*/false, llvm::MaybeAlign(sizeof(int64_t)));
  buffer =
      createBufferAt(builder, loc, address,
                     getGlobalType(cast<RankedTensorType>(load.getType())));
  return buffer;
}

Value DeviceMemory::getScratch(int64_t offset, RankedTensorType type) {
  Value &buffer = scratch[offset];
  // Another tensor may have had the place before.
  MemRefType memref = getGlobalType(type);
  if (buffer && buffer.getType() == memref)
    return buffer;
  OpBuilder builder = atStart();
  Location loc = kernel.getLoc();
  Value bytes = arith::ConstantIntOp::create(builder, loc, offset, 64);
  Value distance =
      arith::MulIOp::create(builder, loc, func.getArgument(1), bytes);
  Value address =
      arith::AddIOp::create(builder, loc, getAddress(builder, 2), distance);
  buffer = createRowsAt(builder, loc, address, count, memref);
  return buffer;
}

Value DeviceMemory::getConstant(Location loc, DenseElementsAttr elements) {
  Value &buffer = constants[elements];
  if (buffer)
    return buffer;
  auto tensor = cast<RankedTensorType>(elements.getType());
  auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
  auto module = func->getParentOfType<gpu::GPUModuleOp>();
  // Made before the op is there, so that the name is seen to be taken.
  SymbolTable symbols(module);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto global = memref::GlobalOp::create(
      builder, loc, (func.getName() + "_constant").str(),
      builder.getStringAttr("private"), type, elements, /*constant=*/true,
      builder.getI64IntegerAttr(16));
  symbols.insert(global);
  builder = atStart();
  buffer = memref::GetGlobalOp::create(builder, loc, type, global.getSymName());
  return buffer;
}
