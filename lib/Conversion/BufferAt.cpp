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

using namespace mlir;

Value mlir::dynbatch::createBufferAt(OpBuilder &builder, Location loc,
                                     Value address, ShapedType type) {
  auto given = dyn_cast<MemRefType>(type);
  auto memref = MemRefType::get(type.getShape(), type.getElementType(),
                                MemRefLayoutAttrInterface(),
                                given ? given.getMemorySpace() : Attribute());
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

Value mlir::dynbatch::createBufferAt(OpBuilder &builder, Location loc,
                                     Value pointer, MemRefType type,
                                     Value size) {
  LLVMTypeConverter converter(builder.getContext());
  auto descriptor = MemRefDescriptor::poison(builder, loc,
                                             converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  descriptor.setSize(builder, loc, 0, size);
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    descriptor.setConstantStride(builder, loc, dim, stride);
    if (dim == 0)
      break;
    descriptor.setConstantSize(builder, loc, dim, type.getDimSize(dim));
    stride *= type.getDimSize(dim);
  }
  return UnrealizedConversionCastOp::create(builder, loc, type,
                                            Value(descriptor))
      .getResult(0);
}
