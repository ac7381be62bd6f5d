//===- CompileFlags.h - Command line options of compilation -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_COMMON_COMPILEFLAGS_H
#define DYNBATCH_TOOLS_COMMON_COMPILEFLAGS_H

#include "TuningFile.h"
#include "dynbatch/ExecutionEngine/Compile.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::dynbatch {

/// Command line options of all tools that compile.
struct CompileFlags {
  /// Also registers those of MLIR's contexts and pass managers.
  CompileFlags();

  /// Reads the files of `--link`, which the options refer to afterwards, and of
  /// `--tuning`.
  llvm::Error readFiles();
  /// What they say, for code that runs on `cpu`.
  CompileOptions getOptions(StringRef cpu = "native") const;

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
      "chip", llvm::cl::value_desc("sm_NN"),
      llvm::cl::desc("Oldest GPU that --target=cuda compiles for (default: "
                     "sm_80); newer ones compile the code again, when it is "
                     "loaded"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> pipelineOptions{
      "pipeline-options", llvm::cl::value_desc("option=value ..."),
      llvm::cl::desc(
          "Options of dynbatch-pipeline, to switch optimisations off"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> link{
      "link", llvm::cl::value_desc("cell.mlir"),
      llvm::cl::desc("Module with functions that the program declares, such as "
                     "an exported cell; may be given several times"),
      llvm::cl::cat(category)};

  llvm::cl::opt<std::string> tuning{
      "tuning", llvm::cl::value_desc("file"),
      llvm::cl::desc("Sizes of tiles that dynbatch-tune has measured"),
      llvm::cl::cat(category)};

private:
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> libraries;
  TuningFile tiles;
};

/// Reads the source file at `path`, standard input for `-`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource(StringRef path);

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_COMMON_COMPILEFLAGS_H
