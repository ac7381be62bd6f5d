//===- Slots.h - Values in cells -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_SLOTS_H
#define DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_SLOTS_H

#include "mlir/IR/Builders.h"

namespace mlir::dynbatch {

/// The pair (address, stamp) that stands for a tensor: `struct<(i64, i64)>`.
Type getHandleType(MLIRContext *context);
Value createHandle(OpBuilder &builder, Location loc, Value address,
                   Value stamp);
Value getHandleAddress(OpBuilder &builder, Location loc, Value handle);
Value getHandleStamp(OpBuilder &builder, Location loc, Value handle);

/// Size in bytes of a slot (ABI.h) for a value of `type`.
int64_t getSlotBytes(Type type);

/// A value as the word (i64) that a slot or a row holds: the bits of a scalar,
/// zero-extended, or a pointer. Not for tensors.
Value packWord(OpBuilder &builder, Location loc, Value value);
/// The inverse of packWord; `type` is a scalar type or `!llvm.ptr`.
Value unpackWord(OpBuilder &builder, Location loc, Value word, Type type);

/// Stores `value` (a handle where its slot is a tensor's) at `address`.
void storeSlot(OpBuilder &builder, Location loc, Value value, Value address);
/// Loads a value of the converted type `type` from `address`.
Value loadSlot(OpBuilder &builder, Location loc, Value address, Type type);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_SLOTS_H
