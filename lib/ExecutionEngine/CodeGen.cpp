//===- CodeGen.cpp - From the LLVM dialect to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/CodeGen.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::dynbatch;

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const TargetInfo &target) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string message;
  const llvm::Target *description =
      llvm::TargetRegistry::lookupTarget(target.triple, message);
  if (!description)
    return llvm::createStringError(message);
  return std::unique_ptr<llvm::TargetMachine>(description->createTargetMachine(
      target.triple, target.cpu, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Whole-module optimization at O3.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

CodeGen::CodeGen() = default;
CodeGen::~CodeGen() = default;

llvm::Expected<std::unique_ptr<CodeGen>>
CodeGen::create(ModuleOp module, const TargetInfo &target) {
  auto machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  std::unique_ptr<CodeGen> result(new CodeGen());
  result->machine = std::move(*machine);
  result->context = std::make_unique<llvm::LLVMContext>();
  result->module = translateModuleToLLVMIR(module, *result->context);
  if (!result->module)
    return llvm::createStringError("translation to LLVM IR failed");

  result->module->setTargetTriple(target.triple);
  result->module->setDataLayout(result->machine->createDataLayout());
  // Some processors default to narrower vectors than kernels are written for.
  for (llvm::Function &function : *result->module)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", target.cpu);
      function.addFnAttr("target-features", target.features);
      function.addFnAttr("prefer-vector-width",
                         std::to_string(target.vectorBits));
    }
  optimize(*result->module, *result->machine);
  return result;
}

llvm::Expected<std::string> CodeGen::emit(CodeForm form) const {
  if (form == CodeForm::LLVMIR) {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  }
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   form == CodeForm::Object
                                       ? llvm::CodeGenFileType::ObjectFile
                                       : llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError("this target cannot emit code in this form");
  // Code generation changes the module.
  passes.run(*llvm::CloneModule(*module));
  return buffer.str().str();
}
