//===- Compiler.cpp - C API of the compiler -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch-c/Compiler.h"

#include "Objects.h"
#include "dynbatch/ExecutionEngine/Executable.h"

using namespace mlir::dynbatch;

DynbatchCompileOptions dynbatchCompileOptionsGetDefault(void) {
  return {"cpu", "", "", ""};
}

DynbatchError *dynbatchCompile(const char *source, size_t length,
                               const char *name,
                               const DynbatchCompileOptions *given,
                               DynbatchStringCallback warnings, void *userData,
                               DynbatchModule **module) {
  DynbatchCompileOptions values =
      given ? *given : dynbatchCompileOptionsGetDefault();
  std::optional<Target> target = parseTarget(values.target);
  if (!target)
    return new DynbatchError{"'" + std::string(values.target) +
                             "' is not a target: it must be cpu, cuda, simt or "
                             "reference"};
  CompileOptions options;
  options.target = *target;
  options.chip = values.chip;
  options.pipelineOptions = values.pipelineOptions;
  std::string diagnostics;
  llvm::raw_string_ostream stream(diagnostics);
  auto executable = Executable::compile(
      llvm::MemoryBufferRef(llvm::StringRef(source, length), name), options,
      stream, values.cacheFolder);
  if (!executable)
    return new DynbatchError{diagnostics +
                             llvm::toString(executable.takeError())};
  if (warnings && !diagnostics.empty())
    warnings(diagnostics.data(), diagnostics.size(), userData);
  std::shared_ptr<const Executable> owner = std::move(*executable);
  dynbatch::rt::Module code = owner->getModule();
  *module = new DynbatchModule{std::make_shared<const DynbatchCode>(
      DynbatchCode{std::move(owner), std::move(code)})};
  return nullptr;
}
