//===- Compile.cpp - From a source file to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::dynbatch;

llvm::Expected<std::unique_ptr<Jit>>
mlir::dynbatch::compileFile(MLIRContext &context, StringRef path, Target target,
                            StringRef pipelineOptions, std::string *assembly) {
  auto diagnosed = [] {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "");
  };
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(path, sources, &context);
  if (!module)
    return diagnosed();

  llvm::Expected<TargetInfo> info = TargetInfo::detectHost();
  if (!info)
    return info.takeError();
  PassManager pm(&context);
  if (failed(applyPassManagerCLOptions(pm)))
    return diagnosed();
  switch (target) {
  case Target::Cpu: {
    PipelineOptions options;
    options.vectorBits = info->vectorBits;
    // Says itself what it does not understand.
    if (failed(options.parseFromString(pipelineOptions)))
      return diagnosed();
    buildPipeline(pm, options);
    break;
  }
  case Target::Reference:
    buildReferencePipeline(pm);
    break;
  }
  if (failed(pm.run(*module)))
    return diagnosed();
  return Jit::create(*module, *info, assembly);
}
