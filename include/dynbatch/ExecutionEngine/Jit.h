//===- Jit.h - Runs compiled modules in this process -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_JIT_H
#define DYNBATCH_EXECUTIONENGINE_JIT_H

#include "dynbatch/ExecutionEngine/CodeGen.h"
#include "dynbatch/Runtime/ABI.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::dynbatch {

/// Machine code in this process.
class Jit {
public:
  /// Generates and links the object; `code` must be for this processor.
  static llvm::Expected<std::unique_ptr<Jit>> create(const CodeGen &code);
  /// Links what CodeGen emitted as an object on this kind of processor.
  static llvm::Expected<std::unique_ptr<Jit>>
  create(std::unique_ptr<llvm::MemoryBuffer> object);
  ~Jit();

  /// The compiled module; lives as long as the Jit.
  const dynbatch_module *getModule() const { return module; }

private:
  Jit();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const dynbatch_module *module = nullptr;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_JIT_H
