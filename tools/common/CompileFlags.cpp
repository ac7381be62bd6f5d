//===- CompileFlags.cpp - Command line options of compilation -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"
#include "dynbatch/InitAll.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::dynbatch;

CompileFlags::CompileFlags() {
  // For the names that --mlir-print-ir-after and the like take.
  mlir::dynbatch::registerAllPasses();
  registerTransformsPasses();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  registerMLIRContextCLOptions();
}

llvm::Error CompileFlags::readFiles() {
  for (const std::string &path : link) {
    auto source = readSource(path);
    if (!source)
      return source.takeError();
    libraries.push_back(std::move(*source));
  }
  if (tuning.empty())
    return llvm::Error::success();
  if (target != Target::Cpu)
    return llvm::createStringError("--tuning is for --target=cpu");
  return TuningFile::load(tuning).moveInto(tiles);
}

CompileOptions CompileFlags::getOptions(StringRef cpu) const {
  CompileOptions options;
  options.target = target;
  options.chip = chip;
  if (cpu == "native")
    cpu = llvm::sys::getHostCPUName();
  options.pipelineOptions = tiles.getPipelineOption(cpu);
  if (!pipelineOptions.empty() && !options.pipelineOptions.empty())
    options.pipelineOptions += " ";
  options.pipelineOptions += pipelineOptions;
  for (const auto &library : libraries)
    options.libraries.push_back(library->getMemBufferRef());
  options.configure = [](PassManager &pm) {
    applyDefaultTimingPassManagerCLOptions(pm);
    return applyPassManagerCLOptions(pm);
  };
  return options;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::dynbatch::readSource(StringRef path) {
  auto source = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!source)
    return llvm::createFileError(path, source.getError());
  return std::move(*source);
}
