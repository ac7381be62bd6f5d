//===- Compile.cpp - From source to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/Compile.h"
#include "Link.h"
#include "dynbatch/InitAll.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::dynbatch;

std::optional<Target> mlir::dynbatch::parseTarget(StringRef name) {
  return llvm::StringSwitch<std::optional<Target>>(name)
      .Case("cpu", Target::Cpu)
      .Case("cuda", Target::Cuda)
      .Case("simt", Target::Simt)
      .Case("reference", Target::Reference)
      .Default(std::nullopt);
}

void mlir::dynbatch::registerCompilerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  mlir::dynbatch::registerAllDialects(registry);
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
  if (options.chip.empty())
    return llvm::Error::success();
  if (options.target != Target::Cuda)
    return llvm::createStringError("chip '" + options.chip +
                                   "' is for target 'cuda' alone");
  if (!isChip(options.chip))
    return llvm::createStringError("'" + options.chip +
                                   "' is not a known NVIDIA GPU");
  return llvm::Error::success();
}

/// Reads `text` into the options of a pipeline.
template <typename Options>
static llvm::Error parse(StringRef text, Options &options) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (succeeded(options.parseFromString(text, stream)))
    return llvm::Error::success();
  return llvm::createStringError("pipeline options '" + text +
                                 "': " + StringRef(message).trim());
}

/// Adds the passes of the chosen pipeline.
static llvm::Error addPasses(PassManager &pm, const CompileOptions &options,
                             const TargetInfo &target) {
  switch (options.target) {
  case Target::Cpu:
  case Target::Simt: {
    PipelineOptions pipelineOptions;
    pipelineOptions.vectorBits = target.vectorBits;
    pipelineOptions.l2Bytes = target.l2Bytes;
    if (llvm::Error error = parse(options.pipelineOptions, pipelineOptions))
      return error;
    if (options.target == Target::Simt)
      buildSimtPipeline(pm, pipelineOptions, options.hooks);
    else
      buildPipeline(pm, pipelineOptions, options.hooks);
    break;
  }
  case Target::Cuda: {
    CudaPipelineOptions pipelineOptions;
    if (!options.chip.empty())
      pipelineOptions.chip = options.chip;
    if (llvm::Error error = parse(options.pipelineOptions, pipelineOptions))
      return error;
    buildCudaPipeline(pm, pipelineOptions, options.hooks);
    break;
  }
  case Target::Reference:
    buildReferencePipeline(pm, options.hooks);
    break;
  }
  return llvm::Error::success();
}

/// For what a diagnostic has been emitted about.
static llvm::Error diagnosed() { return llvm::createStringError(""); }

llvm::Error mlir::dynbatch::lower(ModuleOp module,
                                  const CompileOptions &options,
                                  const TargetInfo &target) {
  if (llvm::Error error = checkChip(options))
    return error;
  PassManager pm(module.getContext());
  if (options.configure && failed(options.configure(pm)))
    return diagnosed();
  if (llvm::Error error = addPasses(pm, options, target))
    return error;
  attachTarget(module, target);
  return failed(pm.run(module)) ? diagnosed() : llvm::Error::success();
}

/// A copy that ends in a NUL, as the parser of text wants it, and is aligned as
/// bytecode asks for the resources in it.
static std::unique_ptr<llvm::MemoryBuffer> copy(llvm::MemoryBufferRef source) {
  auto result = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      source.getBufferSize(), source.getBufferIdentifier(), llvm::Align(64));
  llvm::copy(source.getBuffer(), result->getBufferStart());
  return result;
}

/// `sources` shows the lines of diagnostics.
static LogicalResult linkLibraries(ModuleOp module,
                                   ArrayRef<llvm::MemoryBufferRef> libraries,
                                   llvm::SourceMgr &sources) {
  for (llvm::MemoryBufferRef source : libraries) {
    sources.AddNewSourceBuffer(copy(source), llvm::SMLoc());
    llvm::SourceMgr own;
    own.AddNewSourceBuffer(copy(source), llvm::SMLoc());
    OwningOpRef<ModuleOp> library =
        parseSourceFile<ModuleOp>(own, module.getContext());
    if (!library || failed(link(module, *library)))
      return failure();
  }
  if (libraries.empty())
    return success();
  // What the program does not use need not be something that can be compiled.
  PassManager pm(module.getContext());
  pm.addPass(createSymbolDCEPass());
  return pm.run(module);
}

llvm::Error
mlir::dynbatch::lower(llvm::MemoryBufferRef source,
                      const CompileOptions &options, const TargetInfo &target,
                      raw_ostream &diagnostics,
                      llvm::function_ref<llvm::Error(ModuleOp)> use) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(copy(source), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context, diagnostics);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module || failed(linkLibraries(*module, options.libraries, sources)))
    return diagnosed();
  if (llvm::Error error = lower(*module, options, target))
    return error;
  return use(*module);
}

llvm::Expected<std::unique_ptr<CodeGen>>
mlir::dynbatch::compile(llvm::MemoryBufferRef source,
                        const CompileOptions &options, const TargetInfo &target,
                        raw_ostream &diagnostics) {
  std::unique_ptr<CodeGen> code;
  auto generate = [&](ModuleOp module) {
    return CodeGen::create(module, target).moveInto(code);
  };
  if (llvm::Error error = lower(source, options, target, diagnostics, generate))
    return error;
  return code;
}
