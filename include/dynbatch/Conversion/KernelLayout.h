//===- KernelLayout.h - Memory layout of a kernel's tasks -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_KERNELLAYOUT_H
#define DYNBATCH_CONVERSION_KERNELLAYOUT_H

#include "dynbatch/IR/Dynbatch.h"

namespace mlir::dynbatch {

/// Where the operands and results of a task lie (ABI.h): a row of the pointer
/// table has one 64-bit word for each operand, then the address of the task's
/// result block, which holds the results in order, each aligned to
/// DYNBATCH_TENSOR_ALIGNMENT bytes.
class KernelLayout {
public:
  explicit KernelLayout(KernelOp kernel);

  /// 64-bit words of a row.
  int64_t getRowWords() const { return rowWords; }
  /// Word of a row that holds the address of the result block.
  int64_t getResultWord() const { return rowWords - 1; }
  /// Bytes from the start of the result block to result `index`.
  int64_t getResultOffset(unsigned index) const { return offsets[index]; }
  /// Size of the result block in bytes.
  int64_t getResultBytes() const { return resultBytes; }

private:
  int64_t rowWords, resultBytes;
  SmallVector<int64_t> offsets;
};

/// Bytes that an element of a tensor takes in memory: i1 takes one byte, index
/// eight.
int64_t getElementBytes(Type type);

} // namespace mlir::dynbatch

#endif // DYNBATCH_CONVERSION_KERNELLAYOUT_H
