//===- glu-run.cpp - Compiles and runs a model in one process -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a model of lists of words, runs the pipelines, and feeds them lists
// that are built here. Prints the scores of the batched code and how far they
// are from those of the reference target.
//
//===----------------------------------------------------------------------===//

#include "Glu/Glu.h"
#include "dynbatch/ExecutionEngine/Compile.h"
#include "dynbatch/ExecutionEngine/Jit.h"
#include "dynbatch/Runtime/InstanceBuilder.h"
#include "dynbatch/Runtime/Program.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/TargetSelect.h"
#include <cmath>

using namespace mlir;
using namespace mlir::dynbatch;
namespace rt = ::dynbatch::rt;

/// Lists of 1, 2, ... `count` words.
static rt::Result<rt::InstanceSet>
buildLists(const rt::ModuleDescriptor &descriptor, int count) {
  // Constructors in the order in which the model declares them.
  enum : unsigned { Nil, Cons };
  rt::InstanceBuilder builder(descriptor);
  for (int length = 1; length <= count; ++length) {
    for (int word = 0; word < length; ++word) {
      if (rt::Status status = builder.beginConstructor(Cons); !status.ok())
        return status;
      if (rt::Status status = builder.addScalar(word % 7); !status.ok())
        return status;
    }
    if (rt::Status status = builder.beginConstructor(Nil); !status.ok())
      return status;
    for (int open = 0; open <= length; ++open)
      if (rt::Status status = builder.end(); !status.ok())
        return status;
    if (rt::Status status = builder.endInstance(); !status.ok())
      return status;
  }
  return builder.finish();
}

namespace {
struct Outcome {
  std::vector<float> scores;
  int64_t batches = 0;
};
} // namespace

/// Runs all lists as one minibatch.
static rt::Result<Outcome> run(const dynbatch_module *code) {
  rt::Result<rt::Module> module = rt::Module::create(code);
  if (!module.ok())
    return module.takeError();
  rt::Result<rt::InstanceSet> lists = buildLists(module->descriptor(), 10);
  if (!lists.ok())
    return lists.takeError();
  rt::Result<rt::ParameterSet> parameters =
      rt::ParameterSet::random(module->descriptor(), /*seed=*/1);
  if (!parameters.ok())
    return parameters.takeError();
  rt::ProgramOptions options;
  options.stats = true;
  rt::Result<std::unique_ptr<rt::Program>> program =
      rt::Program::create(*module, parameters.take(), options);
  if (!program.ok())
    return program.takeError();

  Outcome outcome;
  rt::Status status = (*program)->run(
      *lists, 0, lists->size(), [&](const rt::ResultView &result) {
        auto *data = static_cast<const float *>(result.value(0).tensorData());
        outcome.scores.insert(outcome.scores.end(), data,
                              data + result.value(0).type().elements);
      });
  if (!status.ok())
    return status;
  outcome.batches = (*program)->statistics().batches;
  return outcome;
}

/// Compiles a copy of `model` for `target` and runs it.
static llvm::Expected<Outcome> compileAndRun(ModuleOp model, Target target) {
  llvm::Expected<TargetInfo> processor = TargetInfo::create();
  if (!processor)
    return processor.takeError();
  OwningOpRef<ModuleOp> module = model.clone();
  CompileOptions options;
  options.target = target;
  options.hooks = glu::getPipelineHooks();
  if (llvm::Error error = lower(*module, options, *processor))
    return error;
  auto code = CodeGen::create(*module, *processor);
  if (!code)
    return code.takeError();
  auto jit = Jit::create(**code);
  if (!jit)
    return jit.takeError();
  rt::Result<Outcome> outcome = run((*jit)->getModule());
  if (!outcome.ok())
    return llvm::createStringError(outcome.message());
  return outcome.take();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: " << argv[0] << " model.mlir\n";
    return 2;
  }
  llvm::ExitOnError check("glu-run: ");
  DialectRegistry registry;
  registerCompilerDialects(registry);
  glu::registerDialect(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> model = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!model)
    return 1;

  Outcome batched = check(compileAndRun(*model, Target::Cpu));
  Outcome reference = check(compileAndRun(*model, Target::Reference));
  float difference = 0;
  for (auto [left, right] : llvm::zip_equal(batched.scores, reference.scores))
    difference = std::max(difference, std::fabs(left - right));
  llvm::outs() << batched.scores.size() << " scores in " << batched.batches
               << " batches\n"
               << "largest difference "
               << (difference < 1e-5f ? "below 1e-5" : "too large") << "\n";
  return difference < 1e-5f ? 0 : 1;
}
