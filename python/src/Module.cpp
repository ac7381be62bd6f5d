//===- Module.cpp - Compiled programs as Python objects -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "dynbatch/ExecutionEngine/PassDumps.h"
#include "mlir/Pass/PassManager.h"

namespace nb = nanobind;
using namespace dynbatch;
using namespace dynbatch::python;
using mlir::dynbatch::CompileOptions;
using mlir::dynbatch::Executable;

void dynbatch::python::raise(const char *name, const std::string &message) {
  nb::object type = nb::module_::import_("dynbatch._errors").attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

void dynbatch::python::check(const rt::Status &status) {
  if (!status.ok())
    raise("Error", status.message());
}

/// Text after text: what was diagnosed, then the error's own.
static std::string describe(std::string diagnostics, llvm::Error error) {
  std::string text = diagnostics + llvm::toString(std::move(error));
  return llvm::StringRef(text).rtrim().str();
}

static llvm::MemoryBufferRef toBuffer(const Source &source) {
  return {llvm::StringRef(source.second.c_str(), source.second.size()),
          source.first};
}

static CompileOptions toOptions(const CompileArguments &arguments) {
  CompileOptions options;
  auto target = mlir::dynbatch::parseTarget(arguments.target);
  if (!target)
    throw nb::value_error(
        ("target must be 'cpu', 'cuda', 'simt' or 'reference', not '" +
         arguments.target + "'")
            .c_str());
  options.target = *target;
  options.chip = arguments.chip;
  options.pipelineOptions = arguments.pipelineOptions;
  for (const Source &library : arguments.libraries)
    options.libraries.push_back(toBuffer(library));
  return options;
}

/// Warnings of a compilation that went well.
static void warn(const std::string &diagnostics) {
  if (!diagnostics.empty() &&
      PyErr_WarnEx(PyExc_UserWarning, diagnostics.c_str(), 2) != 0)
    throw nb::python_error();
}

std::shared_ptr<Module> Module::compile(const Source &source,
                                        const CompileArguments &arguments,
                                        const std::string &cacheFolder,
                                        nb::object classes) {
  CompileOptions options = toOptions(arguments);
  std::string diagnostics, failure;
  std::shared_ptr<Executable> executable;
  {
    nb::gil_scoped_release release;
    llvm::raw_string_ostream stream(diagnostics);
    auto compiled =
        Executable::compile(toBuffer(source), options, stream, cacheFolder);
    if (compiled)
      executable = std::move(*compiled);
    else
      failure = describe(diagnostics, compiled.takeError());
  }
  if (!executable)
    raise("CompileError", failure);
  warn(diagnostics);
  return std::make_shared<Module>(std::move(executable), std::move(classes));
}

std::shared_ptr<Module> Module::load(const std::string &path,
                                     nb::object classes) {
  auto loaded = Executable::load(path);
  if (!loaded)
    raise("Error", llvm::toString(loaded.takeError()));
  return std::make_shared<Module>(std::shared_ptr<Executable>(std::move(*loaded)),
                                  std::move(classes));
}

std::vector<std::tuple<std::string, std::string, std::string>>
dynbatch::python::lower(const Source &source,
                        const CompileArguments &arguments) {
  CompileOptions options = toOptions(arguments);
  std::vector<mlir::dynbatch::PassDump> dumps;
  options.configure = [&](mlir::PassManager &pm) {
    mlir::dynbatch::recordPasses(pm, dumps);
    return mlir::success();
  };
  std::string diagnostics, failure;
  {
    nb::gil_scoped_release release;
    llvm::raw_string_ostream stream(diagnostics);
    auto target = mlir::dynbatch::TargetInfo::create();
    llvm::Error error =
        target ? mlir::dynbatch::lower(
                     toBuffer(source), options, *target, stream,
                     [](mlir::ModuleOp) { return llvm::Error::success(); })
               : target.takeError();
    if (error)
      failure = describe(diagnostics, std::move(error));
  }
  if (!failure.empty())
    raise("CompileError", failure);
  warn(diagnostics);
  std::vector<std::tuple<std::string, std::string, std::string>> result;
  for (mlir::dynbatch::PassDump &dump : dumps)
    result.emplace_back(std::move(dump.pass), std::move(dump.op),
                        std::move(dump.ir));
  return result;
}
