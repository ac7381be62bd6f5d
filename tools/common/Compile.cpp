//===- Compile.cpp - From a source file to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "dynbatch/InitAll.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::dynbatch;

CompileOptions::CompileOptions() {
  // For the names that --mlir-print-ir-after and the like take.
  mlir::dynbatch::registerAllPasses();
  registerTransformsPasses();
  registerPassManagerCLOptions();
  registerMLIRContextCLOptions();
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  mlir::dynbatch::registerAllDialects(registry);
  return registry;
}

/// Leaves word of the target for the module's descriptor.
static void attachTarget(ModuleOp module, const TargetInfo &target) {
  MLIRContext *context = module.getContext();
  context->loadDialect<LLVM::LLVMDialect>();
  SmallVector<StringAttr> features;
  for (const std::string &feature : target.required)
    features.push_back(StringAttr::get(context, "+" + feature));
  module->setAttr(LLVM::LLVMDialect::getTargetAttrName(),
                  LLVM::TargetAttr::get(
                      context, StringAttr::get(context, target.triple.str()),
                      StringAttr::get(context, target.cpu),
                      LLVM::TargetFeaturesAttr::get(context, features)));
}

/// Whether LLVM knows the GPU. For others it would generate any code.
static bool isChip(StringRef name) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  std::string message;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return true;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, "", ""));
  return subtarget->isCPUStringValid(name);
}

static llvm::Error checkChip(const CompileOptions &options) {
  if (options.target != Target::Cuda) {
    if (options.chip.getNumOccurrences())
      return llvm::createStringError("--chip is for --target=cuda");
  } else if (!isChip(options.chip)) {
    return llvm::createStringError("'" + options.chip +
                                   "' is not a known NVIDIA GPU");
  }
  return llvm::Error::success();
}

/// Adds the passes of the chosen pipeline, which says itself what it does not
/// understand.
static LogicalResult addPasses(PassManager &pm, const CompileOptions &options,
                               const TargetInfo &target) {
  switch (options.target) {
  case Target::Cpu:
  case Target::Simt: {
    PipelineOptions pipelineOptions;
    pipelineOptions.vectorBits = target.vectorBits;
    if (failed(pipelineOptions.parseFromString(options.pipelineOptions)))
      return failure();
    if (options.target == Target::Simt)
      buildSimtPipeline(pm, pipelineOptions);
    else
      buildPipeline(pm, pipelineOptions);
    break;
  }
  case Target::Cuda: {
    CudaPipelineOptions pipelineOptions;
    pipelineOptions.chip = options.chip.getValue();
    if (failed(pipelineOptions.parseFromString(options.pipelineOptions)))
      return failure();
    buildCudaPipeline(pm, pipelineOptions);
    break;
  }
  case Target::Reference:
    buildReferencePipeline(pm);
    break;
  }
  return success();
}

llvm::Expected<std::unique_ptr<CodeGen>>
mlir::dynbatch::compileFile(StringRef path, const CompileOptions &options,
                            const TargetInfo &target) {
  if (llvm::Error error = checkChip(options))
    return error;
  MLIRContext context(makeRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(path, sources, &context);
  PassManager pm(&context);
  if (!module || failed(applyPassManagerCLOptions(pm)) ||
      failed(addPasses(pm, options, target)))
    return llvm::createStringError("");
  attachTarget(*module, target);
  if (failed(pm.run(*module)))
    return llvm::createStringError("");
  return CodeGen::create(*module, target);
}
