//===- Executable.h - A program ready to run -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_EXECUTABLE_H
#define DYNBATCH_EXECUTIONENGINE_EXECUTABLE_H

#include "dynbatch/ExecutionEngine/Compile.h"
#include "dynbatch/ExecutionEngine/Jit.h"
#include "dynbatch/Runtime/Module.h"

namespace mlir::dynbatch {

/// An instance program as machine code in this process, whether it was compiled
/// here or ahead of time. What uses the module (an rt::Program, ValueViews)
/// must end before it.
class Executable {
public:
  /// Compiles `source` for the processor that runs this; `diagnostics` as for
  /// compile. Unless `cacheFolder` is empty, the machine code is kept there and
  /// taken from there, see getCachedObject.
  static llvm::Expected<std::unique_ptr<Executable>>
  compile(llvm::MemoryBufferRef source, const CompileOptions &options,
          raw_ostream &diagnostics, StringRef cacheFolder = "");
  /// Opens a library that dynbatch-compile wrote.
  static llvm::Expected<std::unique_ptr<Executable>> load(StringRef path);
  /// Takes code that was compiled step by step.
  static llvm::Expected<std::unique_ptr<Executable>>
  create(std::unique_ptr<Jit> jit);

  const ::dynbatch::rt::Module &getModule() const { return module; }

private:
  Executable(std::unique_ptr<Jit> jit, ::dynbatch::rt::Module module)
      : jit(std::move(jit)), module(std::move(module)) {}

  /// Null for a library, which stays loaded for good.
  std::unique_ptr<Jit> jit;
  ::dynbatch::rt::Module module;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_EXECUTABLE_H
