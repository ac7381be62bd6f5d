//===- Plugin.cpp - A library that holds the runtime ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Program.h"

#include <cstdio>

using namespace dynbatch::rt;

/// Runs the module at `path` on the integer 9; its result, or -1.
extern "C" int64_t runModule(const char *path) {
  Result<Module> module = Module::load(path);
  if (!module.ok()) {
    std::fprintf(stderr, "%s\n", module.message().c_str());
    return -1;
  }
  Result<InstanceSet> instances =
      InstanceSet::fromText(module->descriptor(), "9\n", "in.txt");
  Result<ParameterSet> params = ParameterSet::random(module->descriptor(), 1);
  Result<std::unique_ptr<Program>> program =
      Program::create(*module, params.take());
  int64_t result = -1;
  Status status =
      (*program)->run(*instances, 0, 1, [&result](const ResultView &view) {
        result = static_cast<int64_t>(view.value(0).bits());
      });
  return status.ok() ? result : -1;
}
