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
    int64_t grainRows = 4;
    int64_t grainFlops = 0;
  };

  /// `params` must outlive the executor.
  CpuExecutor(const Module &module, void *const *params,
              const Options &options);

  Status run(unsigned kernel, const int64_t *rows, int64_t count) override;
  bool runsSideBySide() const override { return options.threads > 1; }
  Status runTogether(std::vector<Batch> &batches) override;
  Status endFlush() override {
    pool.rest();
    return Status::success();
  }
  void abandon() override { pool.rest(); }

  /// How many rows each piece of a batch has (the last may have fewer): at
  /// least the grain, or `count` when it is not worth splitting.
  static int64_t rowsPerPiece(int64_t count, int64_t flopsPerTask,
                              const Options &options);

private:
  /// Calls the kernel on one of the threads.
  Status call(unsigned thread, unsigned kernel, const int64_t *rows,
              int64_t count);
  /// Scratch memory of a thread, which grows as needed; null if there is none.
  char *getScratch(unsigned thread, size_t bytes);

  /// Rows of a batch that one thread takes at a time.
  struct Piece {
    Batch *batch;
    int64_t begin, count;
    int64_t flops;
    double seconds;
    Status status = Status::success();
  };

  /// Whether the work is worth waking the threads up.
  bool isWorthThreads(const std::vector<Batch> &batches) const;
  void addPieces(Batch &batch, bool split);
  /// Lets tasks that share a matrix come one after the other.
  void orderRows(std::vector<Batch> &batches);

  Module module;
  void *const *params;
  Options options;
  ThreadPool pool;
  std::vector<PageBlock> scratch; ///< one a thread
  // Of the present call; kept for their memory.
  std::vector<Batch> single;
  std::vector<Piece> pieces;
  std::vector<int64_t> ordered, order; ///< rows, and their numbers
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CPU_CPUEXECUTOR_H
