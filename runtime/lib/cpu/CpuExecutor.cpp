//===- CpuExecutor.cpp - Batches on the CPU ---------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/CpuExecutor.h"

#include "core/KernelError.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace dynbatch::rt;

CpuExecutor::CpuExecutor(const Module &module, void *const *params,
                         const Options &options)
    : module(module), params(params), options(options), pool(options.threads) {
  int64_t bytes = 0;
  for (const Kernel &kernel : module.descriptor().kernels)
    bytes = std::max(bytes, kernel.scratchBytes);
  for (unsigned thread = 0; thread < options.threads; ++thread) {
    scratch.push_back(PageBlock::map(bytes));
    if (!scratch.back().data()) {
      std::fprintf(stderr,
                   "dynbatch runtime: no memory for %lld bytes of scratch\n",
                   static_cast<long long>(bytes));
      std::abort();
    }
  }
}

int64_t CpuExecutor::rowsPerPiece(int64_t count, int64_t flopsPerTask,
                                  const Options &options) {
  int64_t grain = options.grainRows;
  int64_t pieces = std::min<int64_t>(options.threads, count / grain);
  if (flopsPerTask > 0 && options.grainFlops > 0) {
    double worth = double(flopsPerTask) * count / options.grainFlops;
    if (worth < pieces)
      pieces = static_cast<int64_t>(worth);
  }
  if (pieces <= 1)
    return count;
  int64_t grains = (count + grain - 1) / grain;
  return (grains + pieces - 1) / pieces * grain;
}

Status CpuExecutor::run(unsigned kernel, const int64_t *rows, int64_t count) {
  const Kernel &info = module.descriptor().kernels[kernel];
  dynbatch_kernel_fn function = module.raw()->kernels[kernel];
  int64_t piece = rowsPerPiece(count, info.flops, options);
  if (piece >= count) {
    function(rows, count, scratch[0].data(), params);
    return takeKernelError();
  }

  struct Batch {
    CpuExecutor &executor;
    dynbatch_kernel_fn function;
    const int64_t *rows;
    int64_t rowWords, count, piece;
    std::mutex mutex;
    int64_t failedPiece = -1;
    Status status = Status::success();

    /// The first piece's error is the batch's, whichever thread is first.
    void fail(int64_t piece, Status error) {
      std::lock_guard<std::mutex> lock(mutex);
      if (failedPiece >= 0 && failedPiece < piece)
        return;
      failedPiece = piece;
      status = std::move(error);
    }
  } batch{*this, function, rows, info.rowWords, count, piece, {}};
  pool.run((count + piece - 1) / piece,
           [](void *argument, int64_t index, unsigned thread) {
             Batch &batch = *static_cast<Batch *>(argument);
             int64_t begin = index * batch.piece;
             int64_t size = std::min(batch.piece, batch.count - begin);
             batch.function(batch.rows + begin * batch.rowWords, size,
                            batch.executor.scratch[thread].data(),
                            batch.executor.params);
             Status error = takeKernelError();
             if (!error.ok())
               batch.fail(index, std::move(error));
           },
           &batch);
  return std::move(batch.status);
}
