//===- Executable.cpp - A program ready to run -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/Executable.h"
#include "dynbatch/ExecutionEngine/ObjectCache.h"

using namespace mlir;
using namespace mlir::dynbatch;
namespace rt = ::dynbatch::rt;

static llvm::Expected<std::unique_ptr<Jit>>
compileForThisProcess(llvm::MemoryBufferRef source,
                      const CompileOptions &options, raw_ostream &diagnostics,
                      StringRef cacheFolder) {
  llvm::Expected<TargetInfo> target = TargetInfo::create();
  if (!target)
    return target.takeError();
  if (!cacheFolder.empty()) {
    auto object =
        getCachedObject(cacheFolder, source, options, *target, diagnostics);
    if (!object)
      return object.takeError();
    return Jit::create(std::move(*object));
  }
  auto code = mlir::dynbatch::compile(source, options, *target, diagnostics);
  if (!code)
    return code.takeError();
  return Jit::create(**code);
}

llvm::Expected<std::unique_ptr<Executable>>
Executable::compile(llvm::MemoryBufferRef source, const CompileOptions &options,
                    raw_ostream &diagnostics, StringRef cacheFolder) {
  auto jit = compileForThisProcess(source, options, diagnostics, cacheFolder);
  if (!jit)
    return jit.takeError();
  return create(std::move(*jit));
}

llvm::Expected<std::unique_ptr<Executable>> Executable::load(StringRef path) {
  rt::Result<rt::Module> module = rt::Module::load(path.str());
  if (!module.ok())
    return llvm::createStringError(module.message());
  return std::unique_ptr<Executable>(new Executable(nullptr, module.take()));
}

llvm::Expected<std::unique_ptr<Executable>>
Executable::create(std::unique_ptr<Jit> jit) {
  rt::Result<rt::Module> module = rt::Module::create(jit->getModule());
  if (!module.ok())
    return llvm::createStringError(module.message());
  return std::unique_ptr<Executable>(
      new Executable(std::move(jit), module.take()));
}
