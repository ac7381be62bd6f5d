//===- KernelRows.h - The pointer table of a kernel -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOCPU_KERNELROWS_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOCPU_KERNELROWS_H

#include "dynbatch/Conversion/KernelLayout.h"
#include "mlir/IR/Builders.h"

namespace mlir::dynbatch {

/// Where the rows of a kernel's operands and results are: columns of the table
/// that the implementation gets as its first argument.
class KernelRows {
public:
  /// `table` is the address of the first task's row (`!llvm.ptr`).
  KernelRows(KernelOp kernel, Value table) : layout(kernel), table(table) {}

  /// Operand number `index` is known as `rows` from now on.
  void addOperand(Value rows, unsigned index) {
    columns[rows] = {static_cast<int64_t>(index), 0};
  }
  /// Result number `index` is known as `rows` from now on.
  void addResult(Value rows, unsigned index) {
    columns[rows] = {layout.getResultWord(), layout.getResultOffset(index)};
  }

  /// Address (i64) of the tensor of task `task` (index), or of the table's word
  /// where the rows are scalars.
  Value createAddress(OpBuilder &builder, Location loc, Value rows,
                      Value task) const;

private:
  struct Column {
    int64_t word;   ///< of the table's row
    int64_t offset; ///< bytes behind the address that the word holds
  };
  KernelLayout layout;
  Value table;
  DenseMap<Value, Column> columns;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_KERNELROWS_H
