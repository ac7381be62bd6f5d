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
#include <chrono>
#include <numeric>
#include <utility>

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
  // Each piece reads the weights again; but with more pieces than threads, one
  // that is slowed down does not keep the others waiting.
  constexpr int64_t kRowsToBalance = 192, kMostPiecesPerThread = 4;
  int64_t threads = options.threads;
  int64_t pieces =
      threads * std::clamp<int64_t>(count / (threads * kRowsToBalance), 1,
                                    kMostPiecesPerThread);
  pieces = std::min(pieces, count / options.grainRows);
  if (flopsPerTask > 0 && options.grainFlops > 0) {
    double worth = double(flopsPerTask) * count / options.grainFlops;
    if (worth < pieces)
      pieces = static_cast<int64_t>(worth);
  }
  return threads == 1 || pieces <= 1 ? count : (count + pieces - 1) / pieces;
}

Status CpuExecutor::run(unsigned kernel, const int64_t *rows, int64_t count) {
  single.assign(1, {kernel, /*depth=*/0, rows, count});
  if (options.threads == 1) {
    orderRows(single);
    return call(/*thread=*/0, kernel, single[0].rows, count);
  }
  return runTogether(single);
}

bool CpuExecutor::isWorthThreads(const std::vector<Batch> &batches) const {
  // What threads that sleep take to wake up, in pieces.
  constexpr int64_t kPiecesToWake = 10;
  if (pool.isAwake())
    return true;
  int64_t total = 0;
  for (const Batch &batch : batches) {
    int64_t flops = module.descriptor().kernels[batch.kernel].flops;
    if (flops == 0)
      return true;
    total += flops * batch.count;
  }
  return total >= kPiecesToWake * options.grainFlops;
}

void CpuExecutor::orderRows(std::vector<Batch> &batches) {
  const std::vector<Kernel> &kernels = module.descriptor().kernels;
  size_t words = 0;
  for (const Batch &batch : batches)
    if (kernels[batch.kernel].orderBy)
      words += batch.count * kernels[batch.kernel].rowWords;
  // Batches point into it, so it must not move while it is filled.
  ordered.clear();
  ordered.reserve(words);
  for (Batch &batch : batches) {
    const Kernel &kernel = kernels[batch.kernel];
    if (!kernel.orderBy)
      continue;
    auto word = [&](int64_t row) {
      return batch.rows[row * kernel.rowWords + *kernel.orderBy];
    };
    order.resize(batch.count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t lhs, int64_t rhs) {
      return std::make_pair(word(lhs), lhs) < std::make_pair(word(rhs), rhs);
    });
    size_t begin = ordered.size();
    for (int64_t row : order) {
      const int64_t *first = batch.rows + row * kernel.rowWords;
      ordered.insert(ordered.end(), first, first + kernel.rowWords);
    }
    batch.rows = ordered.data() + begin;
  }
}

void CpuExecutor::addPieces(Batch &batch, bool split) {
  int64_t flops = module.descriptor().kernels[batch.kernel].flops;
  int64_t size =
      split ? rowsPerPiece(batch.count, flops, options) : batch.count;
  for (int64_t begin = 0; begin < batch.count; begin += size) {
    int64_t count = std::min(size, batch.count - begin);
    pieces.push_back({&batch, begin, count, flops * count, 0});
  }
}

Status CpuExecutor::runTogether(std::vector<Batch> &batches) {
  using Clock = std::chrono::steady_clock;
  pieces.clear();
  orderRows(batches);
  bool threads = isWorthThreads(batches);
  for (Batch &batch : batches)
    addPieces(batch, threads);
  // Long pieces first, so that short ones fill what is left at the end.
  if (batches.size() > 1)
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece &lhs, const Piece &rhs) {
                return lhs.flops > rhs.flops;
              });
  auto runPiece = [](void *argument, int64_t index, unsigned thread) {
    auto &executor = *static_cast<CpuExecutor *>(argument);
    Piece &piece = executor.pieces[index];
    const Batch &batch = *piece.batch;
    int64_t words = executor.module.descriptor().kernels[batch.kernel].rowWords;
    Clock::time_point began = Clock::now();
    piece.status = executor.call(thread, batch.kernel,
                                 batch.rows + piece.begin * words, piece.count);
    piece.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  };
  if (threads)
    pool.run(pieces.size(), runPiece, this);
  else
    for (size_t piece = 0; piece < pieces.size(); ++piece)
      runPiece(this, piece, /*thread=*/0);

  // The first piece's error is the batch's, whichever thread was first.
  Piece *failed = nullptr;
  for (Piece &piece : pieces) {
    piece.batch->seconds += piece.seconds;
    if (!piece.status.ok() &&
        (!failed || std::make_pair(piece.batch, piece.begin) <
                        std::make_pair(failed->batch, failed->begin)))
      failed = &piece;
  }
  return failed ? std::move(failed->status) : Status::success();
}
