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
    : module(module), params(params), options(options), pool(options.threads),
      scratch(options.threads) {}

char *CpuExecutor::getScratch(unsigned thread, const Kernel &kernel,
                              int64_t count) {
  size_t bytes = kernel.scratchBytes + count * kernel.rowScratchBytes;
  PageBlock &block = scratch[thread];
  if (bytes > block.size() || !block.data()) {
    // Pages come into memory when they are used.
    bytes = std::max(bytes, 2 * block.size());
    block = PageBlock();
    block = PageBlock::map(bytes);
    if (!block.data()) {
      std::fprintf(stderr,
                   "dynbatch runtime: no memory for %zu bytes of scratch\n",
                   bytes);
      std::abort();
    }
  }
  return block.data();
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
    function(rows, count, getScratch(0, info, count), params);
    return takeKernelError();
  }

  struct Batch {
    CpuExecutor &executor;
    const Kernel &kernel;
    dynbatch_kernel_fn function;
    const int64_t *rows;
    int64_t count, piece;
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
  } batch{*this, info, function, rows, count, piece, {}};
  pool.run((count + piece - 1) / piece,
           [](void *argument, int64_t index, unsigned thread) {
             Batch &batch = *static_cast<Batch *>(argument);
             int64_t begin = index * batch.piece;
             int64_t size = std::min(batch.piece, batch.count - begin);
             batch.function(
                 batch.rows + begin * batch.kernel.rowWords, size,
                 batch.executor.getScratch(thread, batch.kernel, size),
                 batch.executor.params);
             Status error = takeKernelError();
             if (!error.ok())
               batch.fail(index, std::move(error));
           },
           &batch);
  return std::move(batch.status);
}
