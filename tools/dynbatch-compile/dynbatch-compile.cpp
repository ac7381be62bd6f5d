//===- dynbatch-compile.cpp - Compiles a model ahead of time -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"
#include "Link.h"
#include "OutputFile.h"
#include "ReportError.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::dynbatch;
namespace cl = llvm::cl;

namespace {
enum class Emit { Shared, Object, Assembly, LLVMIR };

/// Constructed after the shared LLVM library's own options.
struct Options {
  CompileFlags compile;
  cl::OptionCategory category{"dynbatch-compile options"};
  cl::opt<std::string> inputFile{cl::Positional, cl::Required,
                                 cl::desc("<model.mlir>"), cl::cat(category)};
  cl::opt<std::string> outputFile{"o", cl::Required, cl::value_desc("file"),
                                  cl::desc("Output; - is standard output"),
                                  cl::cat(category)};
  cl::opt<Emit> emit{
      "emit", cl::init(Emit::Shared), cl::desc("What to write:"),
      cl::values(
          clEnumValN(Emit::Shared, "shared",
                     "a library that dynbatch-run and the runtime load "
                     "(default)"),
          clEnumValN(Emit::Object, "object", "position independent code"),
          clEnumValN(Emit::Assembly, "asm", "the same as assembly"),
          clEnumValN(Emit::LLVMIR, "llvm", "optimised LLVM IR")),
      cl::cat(category)};
  cl::opt<std::string> cpu{
      "mcpu", cl::init("native"), cl::value_desc("name"),
      cl::desc("Processor that will run the code, as LLVM calls it "
               "(default: native, the one of this machine)"),
      cl::cat(category)};
  cl::opt<std::string> attributes{
      "mattr", cl::value_desc("+feature,-feature,..."),
      cl::desc("Features that it has, or lacks, all the same"),
      cl::cat(category)};
  cl::opt<std::string> linker{
      "linker", cl::value_desc("path"),
      cl::desc("Linker or C compiler for --emit=shared (default: the first of "
               "ld.lld, ld, cc on PATH)"),
      cl::cat(category)};
};
} // namespace

static CodeForm getCodeForm(Emit emit) {
  switch (emit) {
  case Emit::Shared:
  case Emit::Object:
    return CodeForm::Object;
  case Emit::Assembly:
    return CodeForm::Assembly;
  case Emit::LLVMIR:
    return CodeForm::LLVMIR;
  }
  llvm_unreachable("unknown form");
}

static llvm::Error compileModel(Options &options) {
  if (llvm::sys::fs::equivalent(options.inputFile, options.outputFile))
    return llvm::createStringError("-o names the model itself");
  std::string linker;
  if (options.emit == Emit::Shared)
    if (llvm::Error error = findLinker(options.linker).moveInto(linker))
      return error;
  auto target = TargetInfo::create(options.cpu, options.attributes);
  if (!target)
    return target.takeError();
  auto source = readSource(options.inputFile);
  if (!source)
    return source.takeError();
  if (llvm::Error error = options.compile.readFiles())
    return error;
  auto code =
      compile((*source)->getMemBufferRef(),
              options.compile.getOptions(options.cpu), *target, llvm::errs());
  if (!code)
    return code.takeError();
  auto contents = (*code)->emit(getCodeForm(options.emit));
  if (!contents)
    return contents.takeError();
  if (options.emit == Emit::Shared)
    if (llvm::Error error = linkShared(linker, *contents).moveInto(*contents))
      return error;
  return writeFile(options.outputFile, *contents);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions({&options.category, &options.compile.category});
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles an instance program ahead of time.\n");
  if (llvm::Error error = compileModel(options))
    return reportError("dynbatch-compile", std::move(error));
  return 0;
}
