//===- Module.h - Compiled programs as Python objects -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_PYTHON_MODULE_H
#define DYNBATCH_PYTHON_MODULE_H

#include "Values.h"
#include "dynbatch/ExecutionEngine/Executable.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dynbatch::python {

/// A name for messages, and the text or bytecode of a module.
using Source = std::pair<std::string, nanobind::bytes>;

/// What `compile` and `lower` are told.
struct CompileArguments {
  std::string target;
  std::string chip;
  std::string pipelineOptions;
  std::vector<Source> libraries;
};

/// A compiled program: its code, and how its values look in Python. Programs
/// and instances of it share it.
class Module {
public:
  explicit Module(std::shared_ptr<mlir::dynbatch::Executable> executable,
                  nanobind::object classes)
      : executable(std::move(executable)),
        constructors(descriptor(), std::move(classes)) {}

  static std::shared_ptr<Module> compile(const Source &source,
                                         const CompileArguments &arguments,
                                         const std::string &cacheFolder,
                                         nanobind::object classes);
  static std::shared_ptr<Module> load(const std::string &path,
                                      nanobind::object classes);

  const rt::Module &code() const { return executable->getModule(); }
  const rt::ModuleDescriptor &descriptor() const {
    return code().descriptor();
  }
  const Constructors &names() const { return constructors; }

private:
  std::shared_ptr<mlir::dynbatch::Executable> executable;
  Constructors constructors;
};

/// The IR after each pass that changes something: pass, op and text.
std::vector<std::tuple<std::string, std::string, std::string>>
lower(const Source &source, const CompileArguments &arguments);

/// Raises the exception of the package with that name.
[[noreturn]] void raise(const char *name, const std::string &message);
/// Raises `dynbatch.Error` unless all is well.
void check(const rt::Status &status);

} // namespace dynbatch::python

#endif // DYNBATCH_PYTHON_MODULE_H
