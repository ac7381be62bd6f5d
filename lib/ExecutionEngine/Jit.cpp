//===- Jit.cpp - Runs compiled modules in this process -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/Jit.h"
#include "dynbatch/Runtime/Module.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace mlir::dynbatch;

static llvm::Expected<llvm::orc::JITTargetMachineBuilder> detectBuilder() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // The host's own default makes objects that cannot be moved.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  return builder;
}

llvm::Expected<TargetInfo> TargetInfo::detectHost() {
  auto builder = detectBuilder();
  if (!builder)
    return builder.takeError();
  TargetInfo info;
  info.cpu = builder->getCPU();
  info.features = builder->getFeatures().getString();
  auto has = [&](StringRef feature) {
    return llvm::is_contained(builder->getFeatures().getFeatures(), feature);
  };
  if (has("+avx512f"))
    info.vectorBits = 512;
  else if (has("+avx2") && has("+fma"))
    info.vectorBits = 256;
  return info;
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

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error printAssembly(const llvm::Module &module,
                                 llvm::TargetMachine &machine,
                                 std::string &text) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  // Code generation changes the module.
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return makeError("this target cannot print assembly");
  passes.run(*copy);
  text = buffer.str().str();
  return llvm::Error::success();
}

Jit::Jit() = default;
Jit::~Jit() = default;

llvm::Expected<std::unique_ptr<Jit>>
Jit::create(ModuleOp module, const TargetInfo &target, std::string *assembly) {
  auto builder = detectBuilder();
  if (!builder)
    return builder.takeError();
  builder->setCPU(target.cpu);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, *context);
  if (!llvmModule)
    return makeError("translation to LLVM IR failed");
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  // Some processors default to narrower vectors than kernels are written for.
  for (llvm::Function &function : *llvmModule)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", target.cpu);
      function.addFnAttr("target-features", target.features);
      function.addFnAttr("prefer-vector-width",
                         std::to_string(target.vectorBits));
    }
  optimize(*llvmModule, **machine);
  if (assembly)
    if (llvm::Error error = printAssembly(*llvmModule, **machine, *assembly))
      return error;

  auto lljit =
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
  if (!lljit)
    return lljit.takeError();
  std::unique_ptr<Jit> result(new Jit());
  result->jit = std::move(*lljit);

  llvm::orc::JITDylib &dylib = result->jit->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  size_t count = 0;
  const ::dynbatch::rt::AbiSymbol *abi = ::dynbatch::rt::abiSymbols(count);
  for (size_t i = 0; i < count; ++i)
    symbols[result->jit->mangleAndIntern(abi[i].name)] = {
        llvm::orc::ExecutorAddr::fromPtr(abi[i].address),
        llvm::JITSymbolFlags::Exported};
  if (llvm::Error error =
          dylib.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return error;
  // libm and memcpy.
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      result->jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  dylib.addGenerator(std::move(*process));

  if (llvm::Error error =
          result->jit->addIRModule({std::move(llvmModule), std::move(context)}))
    return error;
  auto address = result->jit->lookup("dynbatch_module");
  if (!address)
    return address.takeError();
  result->module = address->toPtr<const dynbatch_module *>();
  return result;
}
