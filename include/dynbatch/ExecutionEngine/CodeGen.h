//===- CodeGen.h - From the LLVM dialect to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_CODEGEN_H
#define DYNBATCH_EXECUTIONENGINE_CODEGEN_H

#include "dynbatch/ExecutionEngine/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::dynbatch {

/// Forms in which code leaves the compiler.
enum class CodeForm { Object, Assembly, LLVMIR };

/// A module of the LLVM dialect (the output of a pipeline), optimized for one
/// target. Code that runs in this process and code that goes to a file are
/// generated here alike.
class CodeGen {
public:
  /// Translates and optimizes `module`, whose context needs the translations
  /// of its dialects.
  static llvm::Expected<std::unique_ptr<CodeGen>>
  create(ModuleOp module, const TargetInfo &target);
  ~CodeGen();

  /// The bytes of a relocatable object that can be moved, or text.
  llvm::Expected<std::string> emit(CodeForm form) const;

private:
  CodeGen();
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_CODEGEN_H
