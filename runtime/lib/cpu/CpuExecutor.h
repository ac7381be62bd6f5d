//===- CpuExecutor.h - Batches on the CPU -----------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CPU_CPUEXECUTOR_H
#define DYNBATCH_LIB_CPU_CPUEXECUTOR_H

#include "core/Executor.h"
#include "core/VirtualMemory.h"
#include "cpu/ThreadPool.h"
#include "dynbatch/Runtime/Module.h"

#include <vector>

namespace dynbatch::rt {

/// Calls a module's kernels, large batches in row ranges on several threads.
class CpuExecutor : public Executor {
public:
  struct Options {
    unsigned threads = 1;
    int64_t grainRows = 12;
    int64_t grainFlops = 0;
  };

  /// `params` must outlive the executor.
  CpuExecutor(const Module &module, void *const *params,
              const Options &options);

  Status run(unsigned kernel, const int64_t *rows, int64_t count) override;

  /// How many rows each piece of a batch has (the last may have fewer): a
  /// multiple of the grain, or `count` when it is not worth splitting.
  static int64_t rowsPerPiece(int64_t count, int64_t flopsPerTask,
                              const Options &options);

private:
  /// Scratch memory for a call of `kernel` with `count` rows; grows with them.
  char *getScratch(unsigned thread, const Kernel &kernel, int64_t count);

  Module module;
  void *const *params;
  Options options;
  ThreadPool pool;
  std::vector<PageBlock> scratch; ///< one a thread
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CPU_CPUEXECUTOR_H
