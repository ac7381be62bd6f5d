//===- Lowering.h - Shared pieces of convert-dynbatch-to-llvm -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_LOWERING_H
#define DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_LOWERING_H

#include "RuntimeCalls.h"
#include "Slots.h"
#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::dynbatch {

/// What the patterns need to know about the module.
struct HostLowering {
  explicit HostLowering(ModuleOp module);

  RuntimeCalls runtime;
  /// Whether host code has addresses of another memory.
  bool isOnDevice = false;
  llvm::MapVector<StringAttr, KernelOp> kernels;
  llvm::MapVector<StringAttr, ml_program::GlobalOp> parameters;

  /// The runtime context of the host function around `op`.
  static Value getContext(Operation *op) {
    return op->getParentOfType<func::FuncOp>().getArgument(0);
  }
  int64_t getKernelIndex(StringAttr name) const {
    return kernels.find(name) - kernels.begin();
  }
  int64_t getParameterIndex(StringAttr name) const {
    return parameters.find(name) - parameters.begin();
  }
};

/// A pattern for an op of a host function.
template <typename OpT> struct HostPattern : OpConversionPattern<OpT> {
  HostPattern(const TypeConverter &converter, MLIRContext *context,
              HostLowering &lowering)
      : OpConversionPattern<OpT>(converter, context), lowering(lowering) {}
  HostLowering &lowering;
};

/// Converts ADTs and sequences to pointers and tensors to handles. Where ops
/// that are not converted meet converted ones, tensors go through casts
/// (`Handles`, resolved once all types are replaced) or through buffers that
/// share the storage (`Buffers`).
class HostTypeConverter : public TypeConverter {
public:
  HostTypeConverter(MLIRContext *context, TensorLowering tensors);
};

/// construct, tag, field, sequences, lookup, read, parameters and constants.
void populateDataToLLVMPatterns(HostTypeConverter &converter,
                                RewritePatternSet &patterns,
                                HostLowering &lowering);
/// enqueue and depth.
void populateTasksToLLVMPatterns(HostTypeConverter &converter,
                                 RewritePatternSet &patterns,
                                 HostLowering &lowering);

/// spawn and join.
void populateFibersToLLVMPatterns(HostTypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  HostLowering &lowering);

/// `dynbatch_entry(ctx, arguments, results)`: calls `entry` with what lies in
/// the argument slots and stores its results. In terms of the program's types;
/// casts bridge to what lies in memory.
func::FuncOp buildEntry(ModuleOp module, func::FuncOp entry,
                        HostTypeConverter &converter, RuntimeCalls &runtime);

/// For every function that is spawned one that a fiber can run, with a frame in
/// memory (FiberPatterns.cpp).
SmallVector<func::FuncOp> buildFiberFunctions(ModuleOp module,
                                              HostTypeConverter &converter,
                                              RuntimeCalls &runtime);

/// Symbol of the function that a fiber runs to call `callee`.
std::string getFiberFunctionName(StringRef callee);

/// The module descriptor (docs/RuntimeABI.md) as JSON. Types are those of the
/// program, so it must be made before they are converted.
/// `parks` tells that the entry may reach a forced read; `device` is where
/// kernels run, empty for the host.
std::string buildDescriptor(ModuleOp module, FunctionOpInterface entry,
                            bool parks, StringRef device);

/// Symbols that convert-dynbatch-to-llvm and dynbatch-export-module share.
inline constexpr StringLiteral kEntrySymbol = "dynbatch_entry";
inline constexpr StringLiteral kDescriptorSymbol = "dynbatch_descriptor";
inline constexpr StringLiteral kModuleSymbol = "dynbatch_module";

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_LOWERING_H
