//===- BufferAt.cpp - Buffers over memory that the runtime gave -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/BufferAt.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

/// The type of a row-major buffer, in the memory space of `type` if that is
/// one.
static MemRefType getBufferType(ShapedType type, ArrayRef<int64_t> shape) {
  auto memref = dyn_cast<MemRefType>(type);
  return MemRefType::get(shape, type.getElementType(),
                         MemRefLayoutAttrInterface(),
                         memref ? memref.getMemorySpace() : Attribute());
}

Value mlir::dynbatch::createBufferAt(OpBuilder &builder, Location loc,
                                     Value address, ShapedType type) {
  MemRefType memref = getBufferType(type, type.getShape());
  Value pointer = LLVM::IntToPtrOp::create(
      builder, loc,
      LLVM::LLVMPointerType::get(builder.getContext(),
                                 memref.getMemorySpaceAsInt()),
      address);
  LLVMTypeConverter converter(builder.getContext());
  Value descriptor = MemRefDescriptor::fromStaticShape(builder, loc, converter,
                                                       memref, pointer);
  return UnrealizedConversionCastOp::create(builder, loc, memref, descriptor)
      .getResult(0);
}

Value mlir::dynbatch::createRowsAt(OpBuilder &builder, Location loc,
                                   Value address, Value count,
                                   MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = 1;
  Value row = createBufferAt(builder, loc, address, getBufferType(type, shape));
  SmallVector<OpFoldResult> sizes = {count}, strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = builder.getIndexAttr(stride);
    stride *= shape[i];
  }
  for (int64_t size : ArrayRef(shape).drop_front())
    sizes.push_back(builder.getIndexAttr(size));
  return memref::ReinterpretCastOp::create(
      builder, loc, getBufferType(type, type.getShape()), row,
      builder.getIndexAttr(0), sizes, strides);
}
