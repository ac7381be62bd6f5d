//===- Compile.h - From a source file to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_COMMON_COMPILE_H
#define DYNBATCH_TOOLS_COMMON_COMPILE_H

#include "dynbatch/ExecutionEngine/CodeGen.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::dynbatch {

/// What runs the kernels.
enum class Target { Cpu, Cuda, Simt, Reference };

/// Command line options of all tools that compile.
struct CompileOptions {
  /// Also registers those of MLIR's contexts and pass managers.
  CompileOptions();

  llvm::cl::OptionCategory category{"Compilation options"};
  llvm::cl::opt<Target> target{
      "target", llvm::cl::init(Target::Cpu),
      llvm::cl::desc("What runs the kernels:"),
      llvm::cl::values(
          clEnumValN(Target::Cpu, "cpu",
                     "batched kernels on this kind of processor (default)"),
          clEnumValN(Target::Cuda, "cuda", "batched kernels on an NVIDIA GPU"),
          clEnumValN(Target::Simt, "simt",
                     "GPU kernels, run and checked thread by thread on this "
                     "processor, for tests"),
          clEnumValN(
              Target::Reference, "reference",
              "each instance on its own, through upstream lowerings only")),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::init("sm_80"), llvm::cl::value_desc("sm_NN"),
      llvm::cl::desc("Oldest GPU that --target=cuda compiles for (default: "
                     "sm_80); newer ones compile the code again, when it is "
                     "loaded"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> pipelineOptions{
      "pipeline-options", llvm::cl::value_desc("option=value ..."),
      llvm::cl::desc(
          "Options of dynbatch-pipeline, to switch optimisations off"),
      llvm::cl::cat(category)};
};

/// Parses and compiles the model in `path`. Diagnostics go to standard error;
/// the error returned for them has an empty message.
llvm::Expected<std::unique_ptr<CodeGen>>
compileFile(StringRef path, const CompileOptions &options,
            const TargetInfo &target);

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_COMMON_COMPILE_H
