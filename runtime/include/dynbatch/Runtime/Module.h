//===- Module.h - A compiled module, checked --------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_MODULE_H
#define DYNBATCH_RUNTIME_MODULE_H

#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Status.h"

#include <memory>
#include <string>

namespace dynbatch::rt {

/// A view of a `dynbatch_module` with its descriptor parsed. Cheap to copy.
class Module {
public:
  /// Checks the ABI version, the pointers, the descriptor, and that this
  /// processor has the features that the code was generated for. The module's
  /// code must stay loaded as long as the Module is used.
  static Result<Module> create(const dynbatch_module *module);

  /// Opens the shared library at `path` (as dynbatch-compile writes it) and
  /// takes its `dynbatch_module`; the library stays loaded for good. Any number
  /// may be loaded. The library binds to the ABI functions of this process,
  /// which must be exported: linking CMake's dynbatch::Runtime sees to that.
  static Result<Module> load(const std::string &path);

  const ModuleDescriptor &descriptor() const { return *parsed; }
  const dynbatch_module *raw() const { return module; }

private:
  Module(const dynbatch_module *module,
         std::shared_ptr<const ModuleDescriptor> parsed)
      : module(module), parsed(std::move(parsed)) {}

  const dynbatch_module *module;
  std::shared_ptr<const ModuleDescriptor> parsed;
};

/// One function that the runtime gives to compiled code.
struct AbiSymbol {
  const char *name;
  void *address;
};

/// The ABI functions, `count` of them, for a JIT's symbol table.
const AbiSymbol *abiSymbols(size_t &count);

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_MODULE_H
