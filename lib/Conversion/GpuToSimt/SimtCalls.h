//===- SimtCalls.h - Calls into the runtime from GPU kernels -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_GPUTOSIMT_SIMTCALLS_H
#define DYNBATCH_LIB_CONVERSION_GPUTOSIMT_SIMTCALLS_H

#include "dynbatch/Runtime/ABI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::dynbatch {

/// Emits calls of the runtime functions that kernels need, which it declares in
/// the module on first use.
class SimtCalls {
public:
  explicit SimtCalls(ModuleOp module);

  /// The thread that runs the kernel around `op` (`!llvm.ptr`).
  static Value getThread(Operation *op);

  void createLaunch(OpBuilder &builder, Location loc, ValueRange operands);
  /// Threads that wait in two calls made for different ops do not meet.
  void createBarrier(OpBuilder &builder, Operation *op);
  /// `value` is i64; the results are i64 and i1.
  std::pair<Value, Value> createShuffle(OpBuilder &builder, Operation *op,
                                        int32_t mode, Value value, Value offset,
                                        Value width);
  /// Operands are addresses of the fragments.
  void createMma(OpBuilder &builder, Operation *op, int32_t type, int32_t k,
                 ValueRange fragments);
  /// `index`, `extent` and `size` are of type index; `what` describes `op`.
  void createCheckIndex(OpBuilder &builder, Operation *op, Value what,
                        int64_t dimension, Value index, Value extent,
                        Value size);
  /// `address` is i64.
  void createAccess(OpBuilder &builder, Operation *op, Value what,
                    int32_t access, Value address, int64_t bytes,
                    int64_t alignment);

  /// A constant that names the op and its place.
  Value createDescription(OpBuilder &builder, Operation *op);
  /// The zero-terminated string as a pointer to a constant. Equal strings are
  /// one.
  Value createString(OpBuilder &builder, Location loc, StringRef text);

private:
  /// A description whose address no other op has.
  Value createMeetingPoint(OpBuilder &builder, Operation *op);
  LLVM::GlobalOp buildString(Location loc, StringRef text);
  Value createCall(OpBuilder &builder, Location loc, StringRef name,
                   Type result, ValueRange operands);

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<LLVM::GlobalOp> strings;
  Type ptr, i32, i64, voidType;
};

/// An integer constant of i32 or i64.
Value createI32(OpBuilder &builder, Location loc, int32_t value);
Value createI64(OpBuilder &builder, Location loc, int64_t value);
/// Converts an index to i64.
Value toI64(OpBuilder &builder, Location loc, Value index);

/// The field at `offset` of the thread's dynbatch_simt_thread; it does not
/// change while a kernel runs.
Value loadThreadField(OpBuilder &builder, Location loc, Value thread,
                      int64_t offset, Type type);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_GPUTOSIMT_SIMTCALLS_H
