//===- Compile.h - From source to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_COMPILE_H
#define DYNBATCH_EXECUTIONENGINE_COMPILE_H

#include "dynbatch/ExecutionEngine/CodeGen.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <optional>
#include <vector>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mlir::dynbatch {

/// What runs the kernels.
enum class Target {
  Cpu,      ///< batched kernels on this kind of processor
  Cuda,     ///< batched kernels on an NVIDIA GPU
  Simt,     ///< GPU kernels, run and checked thread by thread on the CPU
  Reference ///< each instance on its own, through upstream lowerings only
};

/// The target called `name`: "cpu", "cuda", "simt" or "reference".
std::optional<Target> parseTarget(StringRef name);

struct CompileOptions {
  Target target = Target::Cpu;
  /// Oldest GPU that Target::Cuda compiles for, such as "sm_90"; sm_80 if
  /// empty. An error for other targets.
  std::string chip;
  /// Options of dynbatch-pipeline ("coarsen=false stages=false").
  std::string pipelineOptions;
  /// Text or bytecode of modules whose functions the source declares and calls,
  /// such as cells that other tools have exported.
  std::vector<llvm::MemoryBufferRef> libraries;
  /// Called, if there is one, with the pass manager before passes are added:
  /// for instrumentation and command line options. A failure has been
  /// diagnosed.
  std::function<LogicalResult(PassManager &)> configure;
  /// Stages of other compilers in the pipeline.
  PipelineHooks hooks;
};

/// All that source programs and the pipelines need: upstream's dialects with
/// their translations, and ours.
void registerCompilerDialects(DialectRegistry &registry);

/// Runs the pipeline of the target, without libraries, on `module`, whose
/// context knows registerCompilerDialects. Diagnostics go to the context's
/// handlers; the error returned for them has an empty message.
llvm::Error lower(ModuleOp module, const CompileOptions &options,
                  const TargetInfo &target);

/// The same for text or bytecode, in a context of its own. The buffer's name is
/// the file's in locations. Functions of the libraries take the place of
/// declarations of the same name. `use` gets the module, in the LLVM dialect.
/// Diagnostics are written to `diagnostics`, each with its location and source
/// line; the error returned for them has an empty message.
llvm::Error lower(llvm::MemoryBufferRef source, const CompileOptions &options,
                  const TargetInfo &target, raw_ostream &diagnostics,
                  llvm::function_ref<llvm::Error(ModuleOp)> use);

/// The same, and on to machine code.
llvm::Expected<std::unique_ptr<CodeGen>>
compile(llvm::MemoryBufferRef source, const CompileOptions &options,
        const TargetInfo &target, raw_ostream &diagnostics);

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_COMPILE_H
