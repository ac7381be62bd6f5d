//===- Jit.cpp - Runs compiled modules in this process -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/Jit.h"
#include "dynbatch/Runtime/Module.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::dynbatch;

Jit::Jit() = default;
Jit::~Jit() = default;

llvm::Expected<std::unique_ptr<Jit>> Jit::create(const CodeGen &code) {
  llvm::Expected<std::string> object = code.emit(CodeForm::Object);
  if (!object)
    return object.takeError();
  return create(llvm::MemoryBuffer::getMemBufferCopy(*object, "dynbatch"));
}

llvm::Expected<std::unique_ptr<Jit>>
Jit::create(std::unique_ptr<llvm::MemoryBuffer> object) {
  auto lljit = llvm::orc::LLJITBuilder().create();
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

  if (llvm::Error error = result->jit->addObjectFile(std::move(object)))
    return error;
  auto address = result->jit->lookup("dynbatch_module");
  if (!address)
    return address.takeError();
  result->module = address->toPtr<const dynbatch_module *>();
  return result;
}
