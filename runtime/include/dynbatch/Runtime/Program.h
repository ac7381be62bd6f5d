//===- Program.h - Runs a compiled module on minibatches --------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_PROGRAM_H
#define DYNBATCH_RUNTIME_PROGRAM_H

#include "dynbatch/Runtime/Instances.h"
#include "dynbatch/Runtime/Module.h"
#include "dynbatch/Runtime/Parameters.h"
#include "dynbatch/Runtime/Schedule.h"
#include "dynbatch/Runtime/Statistics.h"
#include "dynbatch/Runtime/Status.h"
#include "dynbatch/Runtime/Values.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>

namespace dynbatch::rt {

struct ProgramOptions {
  unsigned threads = 1; ///< that run kernels, the caller's included
  bool stats = false;   ///< count and time; see Program::statistics
  bool trace = false;   ///< record events; see Program::writeTrace
  /// Before each batch, check that all producers of its operands have run, and
  /// fill fresh tensor storage with NaN patterns.
  bool verifySchedule = false;
  Schedule schedule = Schedule::Static;
  size_t stackBytes = size_t(1) << 30; ///< of host code; reserved, not resident
  /// The same of each fiber in a module that parks: one an instance, and one
  /// a spawned call that waits. 10,000 fibers reserve 2 GB.
  size_t fiberStackBytes = size_t(192) << 10;
  /// Most bytes of the tensor arena, of the host heap and of the temporary
  /// memory, each; 0 means no limit.
  size_t memoryLimitBytes = 0;
  /// A batch is split over threads into pieces of at least so many rows.
  int64_t grainRows = 4;
  /// The same in flops (ignored where the kernel's flops are unknown).
  int64_t grainFlops = 500000;
  /// Of a module for CUDA: number of the GPU, as the driver counts them. The
  /// driver is `libcuda.so.1`, or the library that the environment variable
  /// DYNBATCH_CUDA_DRIVER names. Threads and grains mean nothing there.
  int device = 0;
};

/// Called once an instance, in order, when a minibatch has succeeded.
using ResultSink = std::function<void(const ResultView &)>;

/// A loaded model. Use it from one thread at a time; several Programs may run
/// at once, also of the same module.
class Program {
public:
  /// Takes the parameters and runs the prologue on them. The descriptor says on
  /// what kind of device the program runs; for one with memory of its own the
  /// parameters are copied there.
  static Result<std::unique_ptr<Program>>
  create(const Module &module, ParameterSet params,
         const ProgramOptions &options = {});
  ~Program();

  /// Runs instances [begin, end) as one minibatch. A module without kernels
  /// (the reference target) computes each instance at once, in order. On an
  /// error, which names the instance, no result is delivered, and the Program
  /// can be used again; but not where the error says that a GPU's context is
  /// lost. The same goes for a minibatch that another thread stops by setting
  /// `stop`, which is looked at before each instance and each batch and where
  /// host code asks for memory.
  Status run(const InstanceSet &instances, size_t begin, size_t end,
             const ResultSink &sink, const std::atomic<bool> *stop = nullptr);

  const ModuleDescriptor &descriptor() const;

  /// Of all minibatches since creation or resetStatistics, and of the last one.
  /// All zero unless ProgramOptions::stats.
  const Statistics &statistics() const;
  const Statistics &lastStatistics() const;
  void resetStatistics();
  /// Same as statistics().print(out).
  void printStats(std::ostream &out) const;

  /// Writes the events so far as Chrome trace JSON.
  void writeTrace(std::ostream &out) const;

private:
  class Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_PROGRAM_H
