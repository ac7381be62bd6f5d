//===- dynbatch-run.cpp - Compiles a model and runs minibatches -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"
#include "OutputFile.h"
#include "ReportError.h"
#include "dynbatch/ExecutionEngine/Executable.h"
#include "dynbatch/Runtime/Program.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <sstream>

using namespace mlir;
using namespace mlir::dynbatch;
namespace cl = llvm::cl;
namespace rt = ::dynbatch::rt;

namespace {
/// Constructed after the shared LLVM library's own options, some of which have
/// names of these.
struct Options {
  CompileFlags compile;
  cl::OptionCategory category{"dynbatch-run options"};
  cl::opt<std::string> inputFile{cl::Positional, cl::Required,
                                 cl::desc("<model.mlir|model.so>"),
                                 cl::cat(category)};
  cl::opt<std::string> instancesFile{
      "instances", cl::Required, cl::value_desc("file"),
      cl::desc("Instances, one a line, typed by the entry: (Node (Leaf 3) "
               "(Leaf 5)), [3 5 8], 1.5"),
      cl::cat(category)};
  cl::opt<std::string> params{"params", cl::init("random:0"),
                              cl::value_desc("file.safetensors|random:SEED"),
                              cl::desc("Parameters (default: random:0)"),
                              cl::cat(category)};
  cl::opt<rt::Schedule> schedule{
      "schedule", cl::init(rt::Schedule::Static),
      cl::desc("How a flush makes batches:"),
      cl::values(clEnumValN(rt::Schedule::Static, "static",
                            "by the stages and depths of the compiled program "
                            "(default)"),
                 clEnumValN(rt::Schedule::Depth, "depth",
                            "by depth in the graph of pending tasks, for "
                            "comparison"),
                 clEnumValN(rt::Schedule::Agenda, "agenda",
                            "by DyNet's agenda, for comparison")),
      cl::cat(category)};
  cl::opt<int64_t> batchSize{"batch-size", cl::init(64), cl::value_desc("N"),
                             cl::desc("Instances of a minibatch (default: 64)"),
                             cl::cat(category)};
  cl::opt<unsigned> threads{"threads", cl::init(1), cl::value_desc("N"),
                            cl::desc("Threads that run kernels (default: 1)"),
                            cl::cat(category)};
  cl::opt<int64_t> grainFlops{
      "grain-flops", cl::init(rt::ProgramOptions().grainFlops),
      cl::value_desc("N"),
      cl::desc("Least arithmetic that is worth another thread, in floating "
               "point operations (default: 500000)"),
      cl::cat(category)};
  cl::opt<size_t> fiberStackBytes{
      "fiber-stack-bytes", cl::init(rt::ProgramOptions().fiberStackBytes),
      cl::value_desc("N"),
      cl::desc("Stack of each instance, and of each call that waits, in a "
               "program with forced reads (default: 196608)"),
      cl::cat(category)};
  cl::opt<size_t> memoryLimit{
      "memory-limit", cl::init(0), cl::value_desc("bytes"),
      cl::desc(
          "Most memory of a minibatch for tensors, for data structures and "
          "for temporary values, each (default: no limit)"),
      cl::cat(category)};
  cl::opt<std::string> outputFile{
      "output", cl::init("-"), cl::value_desc("file"),
      cl::desc("Results, one instance a line (default: standard output)"),
      cl::cat(category)};
  cl::opt<bool> stats{"stats", cl::desc("Print statistics on standard error"),
                      cl::cat(category)};
  cl::opt<std::string> statsJson{"stats-json", cl::value_desc("file"),
                                 cl::desc("Write statistics as JSON"),
                                 cl::cat(category)};
  cl::opt<std::string> trace{
      "trace", cl::value_desc("file"),
      cl::desc("Write flushes and batches as Chrome trace events"),
      cl::cat(category)};
  cl::opt<unsigned> repeat{
      "repeat", cl::init(1), cl::value_desc("N"),
      cl::desc("Run all minibatches N times, for measurements; results are "
               "written once (default: 1)"),
      cl::cat(category)};
  cl::opt<std::string> saveParams{
      "save-params", cl::value_desc("file.safetensors"),
      cl::desc("Write the parameters, for other programs"), cl::cat(category)};
  cl::opt<bool> verifySchedule{"verify-schedule",
                               cl::desc("Check before each batch that the "
                                        "producers of its operands have run"),
                               cl::cat(category)};
  cl::opt<std::string> cacheDir{
      "cache-dir", cl::value_desc("folder"),
      cl::desc("Keep machine code in this folder and take it from there when "
               "nothing has changed"),
      cl::cat(compile.category)};
  cl::opt<std::string> dumpAssembly{
      "dump-assembly", cl::value_desc("file"),
      cl::desc("Write the machine code as assembly"),
      cl::cat(compile.category)};
};
} // namespace

/// Takes `name` away from the LLVM library, which registers options for tools
/// of its own.
static void freeOptionName(StringRef name) {
  if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
    option->removeArgument();
}

/// Reports and returns the exit code of a failed run.
static int fail(llvm::Error error) {
  return reportError("dynbatch-run", std::move(error));
}
static int fail(const llvm::Twine &message) {
  return fail(llvm::createStringError(message));
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {
/// What each minibatch took.
struct Measurements {
  std::vector<double> milliseconds;
  std::vector<int64_t> pageFaults; ///< with statistics only
};
} // namespace

/// Runs everything; fills `results` and `measured`.
static rt::Status runAll(const Options &options, rt::Program &program,
                         const rt::InstanceSet &instances, std::string &results,
                         Measurements &measured) {
  size_t step = options.compile.target == Target::Reference
                    ? 1
                    : size_t(options.batchSize);
  for (unsigned round = 0; round < options.repeat; ++round) {
    for (size_t begin = 0; begin < instances.size(); begin += step) {
      size_t end = std::min(begin + step, instances.size());
      double start = now();
      rt::Status status =
          program.run(instances, begin, end, [&](const rt::ResultView &result) {
            if (round > 0)
              return;
            rt::print(result, results);
            results.push_back('\n');
          });
      if (!status.ok())
        return status;
      measured.milliseconds.push_back((now() - start) * 1e3);
      measured.pageFaults.push_back(program.lastStatistics().pageFaults);
    }
  }
  return rt::Status::success();
}

/// The runtime's statistics and the times that only this tool knows.
static std::string formatStatistics(const rt::Program &program,
                                    double compileSeconds,
                                    const Measurements &measured) {
  std::ostringstream stream;
  program.statistics().printJson(stream);
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(stream.str()));
  (*json.getAsObject())["compile_seconds"] = compileSeconds;
  (*json.getAsObject())["minibatch_ms"] =
      llvm::json::Array(measured.milliseconds);
  (*json.getAsObject())["minibatch_page_faults"] =
      llvm::json::Array(measured.pageFaults);
  return llvm::formatv("{0:2}\n", json).str();
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Whether `option` was given and belongs neither to running nor to the
/// terminal.
static bool isAboutCompiling(const cl::Option &option, const Options &options) {
  auto belongsTo = [&](const cl::OptionCategory &category) {
    return llvm::is_contained(option.Categories, &category);
  };
  return option.getNumOccurrences() > 0 && !belongsTo(options.category) &&
         !belongsTo(llvm::getColorCategory());
}

/// Whether what the options ask for is part of the object alone: nothing to
/// print on the way to it.
static bool canUseCache(const Options &options) {
  // The address of a list of strings would be that of its strings.
  const cl::Option &link = options.compile.link;
  const cl::Option *known[] = {&options.compile.chip,
                               &options.compile.target,
                               &options.compile.pipelineOptions,
                               &options.compile.tuning,
                               &link,
                               &options.cacheDir};
  return !options.cacheDir.empty() && options.inputFile != "-" &&
         llvm::all_of(cl::getRegisteredOptions(), [&](const auto &entry) {
           return !isAboutCompiling(*entry.second, options) ||
                  llvm::is_contained(known, entry.second);
         });
}

/// For those who want to see the machine code on the way.
static llvm::Expected<std::unique_ptr<Executable>>
compileAndDump(llvm::MemoryBufferRef source, const Options &options) {
  llvm::Expected<TargetInfo> target = TargetInfo::create();
  if (!target)
    return target.takeError();
  auto code =
      compile(source, options.compile.getOptions(), *target, llvm::errs());
  if (!code)
    return code.takeError();
  auto assembly = (*code)->emit(CodeForm::Assembly);
  if (!assembly)
    return assembly.takeError();
  if (llvm::Error error = writeFile(options.dumpAssembly, *assembly))
    return error;
  auto jit = Jit::create(**code);
  if (!jit)
    return jit.takeError();
  return Executable::create(std::move(*jit));
}

/// Options for compiling, MLIR's and LLVM's included, are not silently ignored.
static llvm::Error checkNothingToCompile(const Options &options) {
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (isAboutCompiling(*option, options))
      return llvm::createStringError("--" + name + " is for compiling, and '" +
                                     options.inputFile +
                                     "' is compiled already");
  return llvm::Error::success();
}

static bool isElf(StringRef path) {
  llvm::file_magic magic;
  return !llvm::identify_magic(path, magic) && magic >= llvm::file_magic::elf &&
         magic <= llvm::file_magic::elf_core;
}

/// The program in the input file.
static llvm::Expected<std::unique_ptr<Executable>> loadInput(Options &options) {
  if (isElf(options.inputFile)) {
    if (llvm::Error error = checkNothingToCompile(options))
      return error;
    return Executable::load(options.inputFile);
  }
  auto source = readSource(options.inputFile);
  if (!source)
    return source.takeError();
  if (llvm::Error error = options.compile.readFiles())
    return error;
  if (!options.dumpAssembly.empty())
    return compileAndDump((*source)->getMemBufferRef(), options);
  return Executable::compile(
      (*source)->getMemBufferRef(), options.compile.getOptions(), llvm::errs(),
      canUseCache(options) ? StringRef(options.cacheDir) : StringRef());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  for (StringRef name : {"stats", "stats-json", "threads"})
    freeOptionName(name);
  Options options;
  cl::HideUnrelatedOptions({&options.category, &options.compile.category});
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs an instance program, a source file or what "
                              "dynbatch-compile made of it, on minibatches of "
                              "instances.\n");
  if (options.batchSize < 1)
    return fail("--batch-size must be at least 1");
  if (options.threads < 1)
    return fail("--threads must be at least 1");
  if (options.grainFlops < 0)
    return fail("--grain-flops must not be negative");
  if (options.repeat < 1)
    return fail("--repeat must be at least 1");

  double start = now();
  auto executable = loadInput(options);
  if (!executable)
    return fail(executable.takeError());
  double compileSeconds = now() - start;

  const rt::Module &module = (*executable)->getModule();
  const rt::ModuleDescriptor &descriptor = module.descriptor();
  auto instances = rt::InstanceSet::fromFile(descriptor, options.instancesFile);
  if (!instances.ok()) {
    // An error in the file begins with its place.
    StringRef message = instances.message();
    if (!message.starts_with(options.instancesFile + ":"))
      return fail(message);
    llvm::errs() << message << "\n";
    return 1;
  }
  auto parameters = rt::ParameterSet::load(descriptor, options.params);
  if (!parameters.ok())
    return fail(parameters.message());
  if (!options.saveParams.empty()) {
    // Loaded parameters stay in their file, which must not change then.
    if (llvm::sys::fs::equivalent(options.params, options.saveParams))
      return fail("--save-params names the file that --params reads");
    rt::Status status =
        parameters->saveSafetensors(descriptor, options.saveParams);
    if (!status.ok())
      return fail(status.message());
  }

  rt::ProgramOptions programOptions;
  programOptions.threads = options.threads;
  programOptions.grainFlops = options.grainFlops;
  programOptions.stats = options.stats || !options.statsJson.empty();
  programOptions.trace = !options.trace.empty();
  programOptions.verifySchedule = options.verifySchedule;
  programOptions.schedule = options.schedule;
  programOptions.fiberStackBytes = options.fiberStackBytes;
  programOptions.memoryLimitBytes = options.memoryLimit;
  auto program = rt::Program::create(module, parameters.take(), programOptions);
  if (!program.ok())
    return fail(program.message());
  std::string results;
  Measurements measured;
  rt::Status status = runAll(options, **program, *instances, results, measured);
  if (!status.ok())
    return fail(status.message());

  if (llvm::Error error = writeFile(options.outputFile, results))
    return fail(std::move(error));
  if (!options.trace.empty()) {
    std::ostringstream stream;
    (*program)->writeTrace(stream);
    if (llvm::Error error = writeFile(options.trace, stream.str()))
      return fail(std::move(error));
  }
  if (!options.statsJson.empty())
    if (llvm::Error error =
            writeFile(options.statsJson,
                      formatStatistics(**program, compileSeconds, measured)))
      return fail(std::move(error));
  if (options.stats) {
    std::ostringstream stream;
    (*program)->printStats(stream);
    llvm::outs().flush();
    llvm::errs() << stream.str();
  }
  return 0;
}
