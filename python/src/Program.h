//===- Program.h - Running programs from Python -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_PYTHON_PROGRAM_H
#define DYNBATCH_PYTHON_PROGRAM_H

#include "Module.h"
#include "dynbatch/Runtime/Program.h"
#include <atomic>
#include <exception>
#include <vector>

namespace dynbatch::python {

/// Parameters and the arrays in them that are used in place.
struct Parameters {
  rt::ParameterSet set;
  std::vector<Array> arrays;
};

/// `random:SEED` or the path of a safetensors file.
Parameters loadParameters(const Module &module, const std::string &spec);
/// From a dict of arrays. What the module does not name is ignored.
Parameters convertParameters(const Module &module, nanobind::dict arrays);

/// A module with parameters. One thread at a time may use it; another one is
/// refused, not kept waiting.
class Program {
public:
  Program(std::shared_ptr<Module> module, Parameters params,
          const rt::ProgramOptions &options);

  /// Runs instances [begin, end) as one minibatch, without the GIL; the
  /// results. With `interruptible`, for the main thread alone, signals are
  /// served meanwhile, and an exception of their handlers ends the minibatch.
  nanobind::list run(const Instances &instances, size_t begin, size_t end,
                     bool interruptible);
  std::string statistics();
  std::string trace();
  void close();
  bool isClosed() const { return !program; }

private:
  /// Refuses closed programs and other threads for as long as it lives.
  class Use {
  public:
    explicit Use(Program &program);
    ~Use() { program.used = false; }

  private:
    Program &program;
  };

  rt::Status runInterruptibly(const Instances &instances, size_t begin,
                              size_t end, const rt::ResultSink &sink,
                              std::exception_ptr &raised);

  std::shared_ptr<Module> module;
  std::unique_ptr<rt::Program> program;
  std::vector<Array> arrays; ///< parameters that are used in place
  std::atomic<bool> used{false};
};

} // namespace dynbatch::python

#endif // DYNBATCH_PYTHON_PROGRAM_H
