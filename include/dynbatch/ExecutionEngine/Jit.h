//===- Jit.h - Runs compiled modules in this process -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_JIT_H
#define DYNBATCH_EXECUTIONENGINE_JIT_H

#include "dynbatch/Runtime/ABI.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace mlir::dynbatch {

/// What code is generated for.
struct TargetInfo {
  std::string cpu;
  std::string features;
  /// Bits of the widest vector register, 128 where nothing is known.
  int64_t vectorBits = 128;

  /// The processor of this process.
  static llvm::Expected<TargetInfo> detectHost();
};

/// A module of the LLVM dialect (the output of a pipeline) as machine code in
/// this process.
class Jit {
public:
  /// Optimizes and compiles `module`. `assembly`, if given, receives the
  /// assembly text.
  static llvm::Expected<std::unique_ptr<Jit>>
  create(ModuleOp module, const TargetInfo &target,
         std::string *assembly = nullptr);
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
