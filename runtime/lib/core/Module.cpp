//===- Module.cpp - A compiled module, checked ------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Module.h"

#include "dynbatch/Runtime/ProcessorFeatures.h"

#include <dlfcn.h>

using namespace dynbatch::rt;

/// Code for another processor would end the process with SIGILL.
static Status checkProcessor(const ModuleDescriptor &descriptor) {
  std::string missing;
  for (const std::string &feature : descriptor.features)
    if (!processorHas(feature).value_or(true))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty())
    return Status::success();
  return Status::error("the module was compiled for a processor '" +
                       descriptor.cpu +
                       "' with features that this one lacks: " + missing);
}

/// Compiled libraries bind to the ABI functions of the process by name.
static Status exportAbi() {
  size_t count;
  // In a static link the functions are there only if something refers to them.
  const AbiSymbol *symbols = abiSymbols(count);
  void *process = dlopen(nullptr, RTLD_NOW);
  auto isExported = [process](const AbiSymbol &symbol) {
    return dlsym(process, symbol.name) == symbol.address;
  };
  // A library that holds the runtime, such as an extension of a scripting
  // language, may have been opened for its opener alone.
  Dl_info self;
  if (!isExported(*symbols) && dladdr(symbols->address, &self))
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  for (const AbiSymbol *symbol = symbols; symbol != symbols + count; ++symbol)
    if (!isExported(*symbol))
      return Status::error(
          std::string("compiled libraries cannot find the function '") +
          symbol->name +
          "' of this runtime: the program that contains it must export it");
  return Status::success();
}

Result<Module> Module::create(const dynbatch_module *module) {
  if (!module)
    return Status::error("no module");
  if (module->abi_version != DYNBATCH_ABI_VERSION)
    return Status::error("the module was compiled for runtime ABI version " +
                         std::to_string(module->abi_version) +
                         ", this runtime has version " +
                         std::to_string(DYNBATCH_ABI_VERSION));
  if (!module->descriptor || !module->entry)
    return Status::error("the module has no descriptor or no entry function");

  Result<ModuleDescriptor> parsed = ModuleDescriptor::parse(module->descriptor);
  if (!parsed.ok())
    return parsed.takeError();
  if (parsed->kernels.size() != module->num_kernels)
    return Status::error(
        "the module has " + std::to_string(module->num_kernels) +
        " kernels, its descriptor " + std::to_string(parsed->kernels.size()));
  for (size_t i = 0; i < parsed->kernels.size(); ++i)
    if (!module->kernels || !module->kernels[i])
      return Status::error("the module has no code for kernel '" +
                           parsed->kernels[i].name + "'");
  for (const Parameter &param : parsed->params)
    if (param.derived && !module->prologue)
      return Status::error("the module has no prologue to compute parameter '" +
                           param.name + "'");
  Status processor = checkProcessor(*parsed);
  if (!processor.ok())
    return processor;
  return Module(module,
                std::make_shared<const ModuleDescriptor>(parsed.take()));
}

Result<Module> Module::load(const std::string &path) {
  Status exported = exportAbi();
  if (!exported.ok())
    return exported;
  // Without a slash, dlopen would search the system's folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Status::error(dlerror());
  void *symbol = dlsym(library, "dynbatch_module");
  if (!symbol) {
    dlclose(library);
    return Status::error(path + ": not a dynbatch module: it has no symbol "
                                "'dynbatch_module'");
  }
  Result<Module> result = create(static_cast<const dynbatch_module *>(symbol));
  if (!result.ok()) {
    dlclose(library);
    return Status::error(path + ": " + result.message());
  }
  return result;
}
