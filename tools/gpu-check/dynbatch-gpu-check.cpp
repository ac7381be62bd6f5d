//===- dynbatch-gpu-check.cpp - Checks and times models on a GPU -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Manifest.h"

#include "dynbatch/Runtime/Program.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace dynbatch::gpucheck;
using namespace dynbatch::rt;

/// Results of a GPU and of the reference target differ by rounding.
static constexpr double kTolerance = 1e-4;
/// Runs of one variant.
static constexpr size_t kFewestRuns = 3, kMostRuns = 50;

namespace {
struct Options {
  std::string manifest, saveFolder;
  double seconds = 240; ///< for all that is timed
  bool dryRun = false;
};

/// A model that is ready to run.
struct Loaded {
  std::unique_ptr<Module> module;
  std::unique_ptr<Program> program;
};
} // namespace

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static Result<Loaded> load(const std::string &library,
                           const std::string &parameters,
                           const ProgramOptions &options) {
  Result<Module> module = Module::load(library);
  if (!module.ok())
    return module.takeError();
  Loaded loaded;
  loaded.module = std::make_unique<Module>(module.take());
  Result<ParameterSet> params =
      ParameterSet::load(loaded.module->descriptor(), parameters);
  if (!params.ok())
    return params.takeError();
  Result<std::unique_ptr<Program>> program =
      Program::create(*loaded.module, params.take(), options);
  if (!program.ok())
    return program.takeError();
  loaded.program = program.take();
  return loaded;
}

/// Instances of one tensor each, `tokens:COUNT:ROWS:COLUMNS`, as text.
static std::string makeTokens(const std::string &shape) {
  unsigned count = 0, rows = 0, columns = 0;
  std::sscanf(shape.c_str(), "tokens:%u:%u:%u", &count, &rows, &columns);
  uint32_t state = 1;
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned row = 0; row < rows; ++row) {
      text += row ? " [" : "[[";
      for (unsigned column = 0; column < columns; ++column) {
        // Any numbers that have few digits.
        state = state * 1664525 + 1013904223;
        char number[16];
        std::snprintf(number, sizeof(number), column ? " %g" : "%g",
                      (int(state >> 24) - 128) / 64.0);
        text += number;
      }
      text += ']';
    }
    text += "]\n";
  }
  return text;
}

static Result<InstanceSet> readInstances(const ModuleDescriptor &descriptor,
                                         const std::string &source) {
  if (source.rfind("tokens:", 0) == 0)
    return InstanceSet::fromText(descriptor, makeTokens(source), source);
  return InstanceSet::fromFile(descriptor, source);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Status runAll(Program &program, const InstanceSet &instances,
                     size_t batch, std::string &results) {
  for (size_t begin = 0; begin < instances.size(); begin += batch) {
    Status status =
        program.run(instances, begin, std::min(begin + batch, instances.size()),
                    [&](const ResultView &result) {
                      print(result, results);
                      results += '\n';
                    });
    if (!status.ok())
      return status;
  }
  return Status::success();
}

/// Runs all instances in one minibatch and one by one.
static Result<Difference> runCheck(const Check &check, bool dryRun) {
  ProgramOptions options;
  // Poison that no kernel replaces would be read as an index.
  options.verifySchedule = !dryRun;
  Result<Loaded> loaded = load(check.library, check.parameters, options);
  if (!loaded.ok())
    return loaded.takeError();
  Result<InstanceSet> instances =
      readInstances(loaded->module->descriptor(), check.instances);
  if (!instances.ok())
    return instances.takeError();
  std::string together, alone;
  Status status =
      runAll(*loaded->program, *instances, instances->size(), together);
  if (status.ok())
    status = runAll(*loaded->program, *instances, 1, alone);
  if (!status.ok())
    return status;
  if (dryRun)
    return Difference{"not compared", 0};
  if (together != alone)
    return Difference{"bits depend on the minibatch", 0};
  std::ifstream file(check.results);
  if (!file)
    return Status::error("cannot read '" + check.results + "'");
  std::string expected((std::istreambuf_iterator<char>(file)),
                       std::istreambuf_iterator<char>());
  return compare(together, expected);
}

/// Returns the number of failures.
static int runChecks(const Manifest &manifest, bool dryRun) {
  int failures = 0;
  std::printf("%-24s %10s  %s\n", "results", "error", "");
  for (const Check &check : manifest.checks) {
    Result<Difference> difference = runCheck(check, dryRun);
    bool failed =
        !difference.ok() || (!dryRun && !(difference->problem.empty() &&
                                          difference->largest <= kTolerance));
    failures += failed;
    if (!difference.ok())
      std::printf("%-24s %10s  %s\n", check.name.c_str(), "-",
                  difference.message().c_str());
    else
      std::printf("%-24s %10.2g  %s\n", check.name.c_str(), difference->largest,
                  !difference->problem.empty() ? difference->problem.c_str()
                  : failed                     ? "too large"
                                               : "good");
    std::fflush(stdout);
  }
  return failures;
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

namespace {
/// A variant of a model and how long it takes.
struct Contestant {
  const Variant *variant = nullptr;
  Loaded loaded;
  std::vector<double> milliseconds;
  std::string problem;
};
} // namespace

static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

static void runOnce(Contestant &contestant, const InstanceSet &instances,
                    size_t batch, bool isWarmUp) {
  if (!contestant.problem.empty())
    return;
  double start = now();
  Status status = contestant.loaded.program->run(instances, 0, batch,
                                                 [](const ResultView &) {});
  double milliseconds = (now() - start) * 1e3;
  if (!status.ok())
    contestant.problem = status.message();
  else if (!isWarmUp)
    contestant.milliseconds.push_back(milliseconds);
}

/// Loads and runs all variants in turn, for `seconds`.
static Result<std::vector<Contestant>> runTiming(const Timing &timing,
                                                 double seconds) {
  double end = now() + seconds;
  std::vector<Contestant> contestants;
  for (const Variant &variant : timing.variants) {
    Contestant &contestant = contestants.emplace_back();
    contestant.variant = &variant;
    ProgramOptions options;
    options.schedule = variant.schedule;
    Result<Loaded> loaded = load(variant.library, timing.parameters, options);
    if (loaded.ok())
      contestant.loaded = loaded.take();
    else
      contestant.problem = loaded.message();
  }
  const Contestant *first = nullptr;
  for (const Contestant &contestant : contestants)
    if (!first && contestant.loaded.module)
      first = &contestant;
  if (!first)
    return contestants;
  Result<InstanceSet> instances =
      readInstances(first->loaded.module->descriptor(), timing.instances);
  if (!instances.ok())
    return instances.takeError();
  if (instances->size() < timing.batch)
    return Status::error(timing.instances + " has " +
                         std::to_string(instances->size()) + " instances");
  for (size_t run = 0; run <= kMostRuns; ++run) {
    if (run > kFewestRuns && now() > end)
      break;
    for (Contestant &contestant : contestants)
      runOnce(contestant, *instances, timing.batch, /*isWarmUp=*/run == 0);
  }
  return contestants;
}

/// What other programs need to run the same: parameters and instances.
static Status saveInputs(const Timing &timing, const std::string &folder) {
  Result<Module> module = Module::load(timing.variants.front().library);
  if (!module.ok())
    return module.takeError();
  Result<ParameterSet> params =
      ParameterSet::load(module->descriptor(), timing.parameters);
  if (!params.ok())
    return params.takeError();
  std::string path = folder + "/" + timing.name;
  Status status =
      params->saveSafetensors(module->descriptor(), path + ".safetensors");
  if (!status.ok())
    return status;
  std::ofstream file(path + ".txt");
  if (timing.instances.rfind("tokens:", 0) == 0)
    file << makeTokens(timing.instances);
  else
    file << std::ifstream(timing.instances).rdbuf();
  file.flush();
  return file ? Status::success()
              : Status::error("cannot write '" + path + ".txt'");
}

static void printTimes(const Timing &timing,
                       const std::vector<Contestant> &contestants,
                       std::ofstream &table) {
  double base = median(contestants.front().milliseconds);
  for (const Contestant &contestant : contestants) {
    const char *label = contestant.variant->label.c_str();
    std::printf("%-16s %6zu  %-12s", timing.name.c_str(), timing.batch, label);
    if (!contestant.problem.empty()) {
      std::printf(" %s\n", contestant.problem.c_str());
      continue;
    }
    double milliseconds = median(contestant.milliseconds);
    std::printf(" %10.3f %8.2f %5zu\n", milliseconds,
                base > 0 ? milliseconds / base : 0,
                contestant.milliseconds.size());
    if (table)
      table << timing.name << '\t' << timing.batch << '\t' << label << '\t'
            << milliseconds << '\n';
  }
  std::fflush(stdout);
}

/// Returns the number of failures.
static int runTimings(const Manifest &manifest, const Options &options) {
  int failures = 0;
  std::ofstream table;
  if (!options.saveFolder.empty())
    table.open(options.saveFolder + "/times.tsv");
  std::printf("\n%-16s %6s  %-12s %10s %8s %5s\n", "times", "batch", "variant",
              "ms", "ratio", "runs");
  double end = now() + options.seconds;
  std::string saved;
  for (size_t i = 0; i < manifest.timings.size(); ++i) {
    const Timing &timing = manifest.timings[i];
    double left = std::max(end - now(), 0.0);
    Result<std::vector<Contestant>> contestants =
        runTiming(timing, left / (manifest.timings.size() - i));
    if (!contestants.ok()) {
      std::printf("%-16s %6zu  %s\n", timing.name.c_str(), timing.batch,
                  contestants.message().c_str());
      ++failures;
      continue;
    }
    for (const Contestant &contestant : *contestants)
      failures += !contestant.problem.empty();
    printTimes(timing, *contestants, table);
    if (options.saveFolder.empty() || saved == timing.name)
      continue;
    saved = timing.name;
    Status status = saveInputs(timing, options.saveFolder);
    if (!status.ok()) {
      std::printf("%s: %s\n", timing.name.c_str(), status.message().c_str());
      ++failures;
    }
  }
  return failures;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// `--name=value`
static bool parseOption(const char *argument, const char *name,
                        const char *&value) {
  size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0 || argument[length] != '=')
    return false;
  value = argument + length + 1;
  return true;
}

static bool parseOptions(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const char *value = nullptr;
    if (parseOption(argv[i], "--save", value))
      options.saveFolder = value;
    else if (parseOption(argv[i], "--seconds", value))
      options.seconds = std::atof(value);
    else if (std::strcmp(argv[i], "--dry-run") == 0)
      options.dryRun = true;
    else if (argv[i][0] != '-' && options.manifest.empty())
      options.manifest = argv[i];
    else
      return false;
  }
  return !options.manifest.empty();
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [--seconds=N] [--save=folder] [--dry-run] "
                 "manifest\n",
                 argv[0]);
    return 2;
  }
  Result<Manifest> manifest = Manifest::read(options.manifest);
  if (!manifest.ok()) {
    std::fprintf(stderr, "%s\n", manifest.message().c_str());
    return 2;
  }
  int failures = runChecks(*manifest, options.dryRun);
  failures += runTimings(*manifest, options);
  if (failures)
    std::printf("\n%d failures\n", failures);
  else
    std::printf("\nall good\n");
  return failures ? 1 : 0;
}
