//===- dynbatch-tune.cpp - Measures the sizes of tiles ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"
#include "ReportError.h"
#include "TuningFile.h"
#include "dynbatch/ExecutionEngine/Executable.h"
#include "dynbatch/Runtime/Program.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>

using namespace mlir;
using namespace mlir::dynbatch;
namespace cl = llvm::cl;
namespace rt = ::dynbatch::rt;

namespace {
struct Options {
  CompileFlags compile;
  cl::OptionCategory category{"dynbatch-tune options"};
  cl::opt<std::string> inputFile{cl::Positional, cl::Required,
                                 cl::desc("<model.mlir>"), cl::cat(category)};
  cl::opt<std::string> instancesFile{
      "instances", cl::Required, cl::value_desc("file"),
      cl::desc("Instances like those that the program will run on, one a line"),
      cl::cat(category)};
  cl::opt<std::string> outputFile{
      "o", cl::Required, cl::value_desc("file"),
      cl::desc("Tuning file; entries for other kernels and processors stay"),
      cl::cat(category)};
  cl::opt<std::string> params{"params", cl::init("random:0"),
                              cl::value_desc("file.safetensors|random:SEED"),
                              cl::desc("Parameters (default: random:0)"),
                              cl::cat(category)};
  cl::opt<int64_t> batchSize{"batch-size", cl::init(64), cl::value_desc("N"),
                             cl::desc("Instances of a minibatch (default: 64)"),
                             cl::cat(category)};
  cl::opt<double> seconds{"seconds", cl::init(20), cl::value_desc("N"),
                          cl::desc("Time for measurements (default: 20)"),
                          cl::cat(category)};
};

/// The program with tiles of `tasks` tasks in all kernels (0: as the cost model
/// chooses), and the shortest time of each kernel in a run of all instances.
struct Candidate {
  int64_t tasks;
  std::unique_ptr<Executable> executable;
  std::unique_ptr<rt::Program> program;
  std::vector<double> seconds;
};
} // namespace

/// Multiples of what fills register tiles.
static constexpr int64_t kTasks[] = {0, 1, 4, 12, 24, 36, 48, 72, 96, 144, 192};
/// A shorter time by less than this is taken for noise.
static constexpr double kLeastGain = 0.03;

static int fail(llvm::Error error) {
  return reportError("dynbatch-tune", std::move(error));
}
static int fail(const llvm::Twine &message) {
  return fail(llvm::createStringError(message));
}

static llvm::Error toError(const rt::Status &status) {
  return status.ok() ? llvm::Error::success()
                     : llvm::createStringError(status.message());
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static llvm::Expected<Candidate> compileCandidate(const Options &options,
                                                  llvm::MemoryBufferRef source,
                                                  int64_t tasks) {
  CompileOptions compileOptions = options.compile.getOptions();
  compileOptions.pipelineOptions += " tile-rows=" + std::to_string(tasks);
  Candidate candidate;
  candidate.tasks = tasks;
  if (llvm::Error error =
          Executable::compile(source, compileOptions, llvm::errs())
              .moveInto(candidate.executable))
    return error;
  const rt::Module &module = candidate.executable->getModule();
  auto params = rt::ParameterSet::load(module.descriptor(), options.params);
  if (!params.ok())
    return llvm::createStringError(params.message());
  rt::ProgramOptions programOptions;
  programOptions.stats = true;
  auto program = rt::Program::create(module, params.take(), programOptions);
  if (!program.ok())
    return llvm::createStringError(program.message());
  candidate.program = program.take();
  candidate.seconds.assign(module.descriptor().kernels.size(),
                           std::numeric_limits<double>::infinity());
  return candidate;
}

static llvm::Error measure(Candidate &candidate, const Options &options,
                           const rt::InstanceSet &instances) {
  candidate.program->resetStatistics();
  for (size_t begin = 0; begin < instances.size(); begin += options.batchSize) {
    size_t end = std::min<size_t>(begin + options.batchSize, instances.size());
    rt::Status status = candidate.program->run(instances, begin, end,
                                               [](const rt::ResultView &) {});
    if (!status.ok())
      return toError(status);
  }
  const rt::Statistics &statistics = candidate.program->statistics();
  for (auto [best, kernel] :
       llvm::zip_equal(candidate.seconds, statistics.kernels))
    best = std::min(best, kernel.seconds);
  return llvm::Error::success();
}

/// Prints what was found and files it.
static void choose(ArrayRef<Candidate> candidates, StringRef cpu,
                   TuningFile &file) {
  const Candidate &model = candidates.front();
  const rt::ModuleDescriptor &descriptor = model.program->descriptor();
  double total = 0;
  for (double seconds : model.seconds)
    total += seconds;
  // Kernels with the same code share an entry.
  llvm::MapVector<StringRef, SmallVector<unsigned>> byKey;
  for (auto [i, kernel] : llvm::enumerate(descriptor.kernels))
    if (!kernel.tuningKey.empty())
      byKey[kernel.tuningKey].push_back(i);
  for (auto &[key, kernels] : byKey) {
    auto secondsOf = [&, &kernels = kernels](const Candidate &candidate) {
      double seconds = 0;
      for (unsigned kernel : kernels)
        seconds += candidate.seconds[kernel];
      return seconds;
    };
    const Candidate *best = &model;
    for (const Candidate &candidate : candidates)
      if (secondsOf(candidate) < secondsOf(*best))
        best = &candidate;
    double gain = 1 - secondsOf(*best) / secondsOf(model);
    const std::string &name = descriptor.kernels[kernels.front()].name;
    llvm::outs() << llvm::formatv("{0}: {1:F1} % of the work, ", name,
                                  100 * secondsOf(model) / total);
    // Kernels that did not run take no time.
    if (!(gain >= kLeastGain)) {
      llvm::outs() << "as the cost model chooses\n";
      file.erase(cpu, key);
    } else {
      llvm::outs() << llvm::formatv("{0} tasks a tile, {1:F1} % less time\n",
                                    best->tasks, 100 * gain);
      file.set(cpu, key, {name, best->tasks});
    }
  }
}

static llvm::Error tune(Options &options) {
  if (llvm::Error error = options.compile.readFiles())
    return error;
  auto source = readSource(options.inputFile);
  if (!source)
    return source.takeError();
  llvm::Expected<TargetInfo> target = TargetInfo::create();
  if (!target)
    return target.takeError();
  TuningFile file;
  if (llvm::sys::fs::exists(options.outputFile))
    if (llvm::Error error = TuningFile::load(options.outputFile).moveInto(file))
      return error;

  std::vector<Candidate> candidates;
  for (int64_t tasks : kTasks) {
    auto candidate =
        compileCandidate(options, (*source)->getMemBufferRef(), tasks);
    if (!candidate)
      return candidate.takeError();
    candidates.push_back(std::move(*candidate));
  }
  auto instances = rt::InstanceSet::fromFile(
      candidates.front().program->descriptor(), options.instancesFile);
  if (!instances.ok())
    return llvm::createStringError(instances.message());

  // Whole runs, so that each kernel is measured on the batches, and for as
  // large a part of the time, as in use. In turn, as the clock of a machine may
  // change. The first round only brings memory in.
  double end = now() + options.seconds;
  for (int round = 0; round < 2 || now() < end; ++round) {
    for (Candidate &candidate : candidates) {
      if (llvm::Error error = measure(candidate, options, *instances))
        return error;
      if (round == 0)
        llvm::fill(candidate.seconds, std::numeric_limits<double>::infinity());
    }
  }
  choose(candidates, target->cpu, file);
  return file.save(options.outputFile);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions({&options.category, &options.compile.category});
  cl::ParseCommandLineOptions(
      argc, argv,
      "Finds the sizes of tiles with which the kernels of an instance program "
      "run fastest on this\nprocessor, and files them for --tuning of "
      "dynbatch-run and dynbatch-compile.\n");
  if (options.compile.target != Target::Cpu)
    return fail("only --target=cpu has tiles to tune");
  // Sizes that were measured would count more than those to measure.
  if (options.compile.tuning.getNumOccurrences())
    return fail("--tuning is for what runs the program afterwards");
  if (options.batchSize < 1)
    return fail("--batch-size must be at least 1");
  if (options.seconds <= 0)
    return fail("--seconds must be positive");
  if (llvm::Error error = tune(options))
    return fail(std::move(error));
  return 0;
}
