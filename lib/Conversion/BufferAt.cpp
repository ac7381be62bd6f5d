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
  auto memref = MemRefType::get(type.getShape(), type.getElementType());
  Value pointer = LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
  LLVMTypeConverter converter(builder.getContext());
  Value descriptor = MemRefDescriptor::fromStaticShape(builder, loc, converter,
                                                       memref, pointer);
  return UnrealizedConversionCastOp::create(builder, loc, memref, descriptor)
      .getResult(0);
}
