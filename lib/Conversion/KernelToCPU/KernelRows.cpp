//===- KernelRows.cpp - The pointer table of a kernel -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::dynbatch;

Value KernelRows::createAddress(OpBuilder &builder, Location loc, Value rows,
                                Value task) const {
  Column column = columns.lookup(rows);
  Type i64 = builder.getI64Type();
  auto ptr = LLVM::LLVMPointerType::get(builder.getContext());
  auto rowType = LLVM::LLVMArrayType::get(i64, layout.getRowWords());
  Value position = arith::IndexCastOp::create(builder, loc, i64, task);
  Value word = LLVM::GEPOp::create(
      builder, loc, ptr, rowType, table,
      ArrayRef<LLVM::GEPArg>{position, static_cast<int32_t>(column.word)});
  if (!isa<RankedTensorType>(cast<RowsType>(rows.getType()).getRowType()))
    return LLVM::PtrToIntOp::create(builder, loc, i64, word);
  Value address = LLVM::LoadOp::create(builder, loc, i64, word);
  if (column.offset == 0)
    return address;
  Value offset = arith::ConstantIntOp::create(builder, loc, column.offset, 64);
  return arith::AddIOp::create(builder, loc, address, offset);
}
