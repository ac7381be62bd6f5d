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
#include <mutex>

using namespace dynbatch::rt;

CpuExecutor::CpuExecutor(const Module &module, void *const *params,
                         const Options &options)
    : module(module), params(params), options(options), pool(options.threads),
      scratch(options.threads) {}

char *CpuExecutor::getScratch(unsigned thread, size_t bytes) {
  PageBlock &block = scratch[thread];
  if (bytes > block.size() || !block.data()) {
    // Pages come into memory when they are used.
    size_t size = std::max(bytes, 2 * block.size());
    block = PageBlock();
    block = PageBlock::map(size);
  }
  return block.data();
}

Status CpuExecutor::call(unsigned thread, unsigned kernel, const int64_t *rows,
                         int64_t count) {
  const Kernel &info = module.descriptor().kernels[kernel];
  size_t bytes = info.scratchBytes + count * info.rowScratchBytes;
  char *memory = getScratch(thread, bytes);
  if (!memory)
    return Status::error("no memory for " + std::to_string(bytes) +
                         " bytes of scratch for kernel '" + info.name + "'");
  module.raw()->kernels[kernel](rows, count, memory, params);
  return takeKernelError();
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
  int64_t piece = rowsPerPiece(count, info.flops, options);
  if (piece >= count)
    return call(/*thread=*/0, kernel, rows, count);

  struct Batch {
    CpuExecutor &executor;
    unsigned kernel;
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
  } batch{*this, kernel, rows, info.rowWords, count, piece, {}};
  pool.run((count + piece - 1) / piece,
           [](void *argument, int64_t index, unsigned thread) {
             Batch &batch = *static_cast<Batch *>(argument);
             int64_t begin = index * batch.piece;
             int64_t size = std::min(batch.piece, batch.count - begin);
             Status status =
                 batch.executor.call(thread, batch.kernel,
                                     batch.rows + begin * batch.rowWords, size);
             if (!status.ok())
               batch.fail(index, std::move(status));
           },
           &batch);
  return std::move(batch.status);
}
