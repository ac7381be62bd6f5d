//===- run_model.cpp - A program that runs a compiled model -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads what dynbatch-compile wrote, and runs it on the instances of a file. It
// links the runtime library alone: no compiler, no LLVM.
//
//   dynbatch-compile model.mlir -o model.so
//   run_model model.so instances.txt random:1
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Program.h"

#include <algorithm>
#include <cstdio>
#include <string>

using namespace dynbatch::rt;

static constexpr size_t kBatchSize = 64;

static Status runModel(const std::string &modelFile,
                       const std::string &instanceFile,
                       const std::string &parameters) {
  Result<Module> module = Module::load(modelFile);
  if (!module.ok())
    return module.takeError();
  const ModuleDescriptor &descriptor = module->descriptor();

  Result<InstanceSet> instances =
      InstanceSet::fromFile(descriptor, instanceFile);
  if (!instances.ok())
    return instances.takeError();
  Result<ParameterSet> weights = ParameterSet::load(descriptor, parameters);
  if (!weights.ok())
    return weights.takeError();

  ProgramOptions options;
  options.stats = true;
  Result<std::unique_ptr<Program>> program =
      Program::create(*module, weights.take(), options);
  if (!program.ok())
    return program.takeError();

  // Called once an instance; see ValueView for the numbers themselves.
  auto printResult = [](const ResultView &result) {
    std::string line;
    print(result, line);
    std::puts(line.c_str());
  };
  for (size_t begin = 0; begin < instances->size(); begin += kBatchSize) {
    size_t end = std::min(begin + kBatchSize, instances->size());
    Status status = (*program)->run(*instances, begin, end, printResult);
    if (!status.ok())
      return status;
  }

  const Statistics &statistics = (*program)->statistics();
  std::fprintf(stderr, "%s: %lld instances, %lld tasks in %lld batches\n",
               descriptor.name.c_str(),
               static_cast<long long>(statistics.instances),
               static_cast<long long>(statistics.tasks),
               static_cast<long long>(statistics.batches));
  return Status::success();
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: %s model.so instances.txt "
                 "parameters.safetensors|random:SEED\n",
                 argv[0]);
    return 2;
  }
  Status status = runModel(argv[1], argv[2], argv[3]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
