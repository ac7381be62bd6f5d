//===- RuntimeCalls.h - Calls into the runtime from host code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_RUNTIMECALLS_H
#define DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_RUNTIMECALLS_H

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::dynbatch {

/// Emits calls of runtime functions and of small internal helpers, which it
/// adds to the module on first use: the fast paths of allocation and checks.
/// Every method emits at the builder's insertion point; `ctx` is the runtime
/// context (`!llvm.ptr`).
class RuntimeCalls {
public:
  explicit RuntimeCalls(ModuleOp module);

  /// `bytes` (a constant or i64) of host memory for a cell.
  Value createHeapAlloc(OpBuilder &builder, Location loc, Value ctx,
                        Value bytes);
  /// Leaves the program with an error unless 0 <= index < size (i64 both).
  void createCheckIndex(OpBuilder &builder, Location loc, Value ctx,
                        StringRef what, Value index, Value size);
  /// Leaves the program with an error unless `condition` (i1).
  void createCheck(OpBuilder &builder, Location loc, Value ctx, Value condition,
                   StringRef message);
  /// Leaves the program with an error when the host stack is nearly used up.
  void createCheckStack(OpBuilder &builder, Location loc, Value ctx);
  /// Runs pending tasks if the tensor of `stamp` (i64) is one of theirs.
  void createForce(OpBuilder &builder, Location loc, Value ctx, Value stamp);
  /// A copy in host memory (`!llvm.ptr`) of `bytes` at `address` (i64) of the
  /// tensor of `stamp` (i64), when it is computed.
  Value createRead(OpBuilder &builder, Location loc, Value ctx, Value address,
                   Value stamp, int64_t bytes);
  /// Makes a task of kernel number `index`: `operands` are the row's words
  /// (i64). Returns the start of its result block (i64).
  Value createEnqueue(OpBuilder &builder, Location loc, Value ctx,
                      KernelOp kernel, int64_t index, int64_t resultBytes,
                      Value depth, ValueRange operands);
  /// Runs `function` (a pointer) with `frame` on a child fiber; returns a
  /// handle (`!llvm.ptr`) for createJoin.
  Value createSpawn(OpBuilder &builder, Location loc, Value ctx, Value function,
                    Value frame);
  /// Waits until the child fiber has ended.
  void createJoin(OpBuilder &builder, Location loc, Value ctx, Value handle);
  /// Address of parameter number `index` (i64).
  Value createParameterAddress(OpBuilder &builder, Location loc, Value ctx,
                               int64_t index);
  /// Address of `fieldOffset` bytes behind `base`.
  Value createOffset(OpBuilder &builder, Location loc, Value base,
                     int64_t fieldOffset);
  Value createI64(OpBuilder &builder, Location loc, int64_t value);
  /// The zero-terminated string as a pointer to a constant.
  Value createString(OpBuilder &builder, Location loc, StringRef text);

  /// A number for the name of the next tensor constant.
  int64_t nextConstant() { return numConstants++; }

private:
  /// The function of that name, declared if needed.
  LLVM::LLVMFuncOp declare(StringRef name, Type result, ArrayRef<Type> inputs);
  /// The helper of that name; `define` fills a new one's body.
  LLVM::LLVMFuncOp
  getHelper(StringRef name, Type result, ArrayRef<Type> inputs,
            function_ref<void(OpBuilder &, LLVM::LLVMFuncOp)> define);
  /// Helper body for `fast path unless the condition holds, then the noreturn
  /// function`.
  void buildGuard(OpBuilder &builder, LLVM::LLVMFuncOp func, Value failed,
                  LLVM::LLVMFuncOp handler, ValueRange arguments);
  void buildEnqueue(OpBuilder &builder, LLVM::LLVMFuncOp func, int64_t index,
                    int64_t resultBytes);
  /// Bump allocation between two context fields, or `slow`.
  Value buildBump(OpBuilder &builder, LLVM::LLVMFuncOp func, Value ctx,
                  Value bytes, int64_t cursorOffset, int64_t endOffset,
                  StringRef slow);

  ModuleOp module;
  SymbolTable symbols;
  Type ptr, i64, voidType;
  int64_t numConstants = 0;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_RUNTIMECALLS_H
