//===- ThreadPool.cpp - Workers for the pieces of a batch -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/ThreadPool.h"

#include <chrono>

using namespace dynbatch::rt;

/// Waits for the condition without sleeping, but not for long.
template <typename Condition> static void spinUntil(Condition condition) {
  using Clock = std::chrono::steady_clock;
  // After the first time, others may need this processor.
  constexpr auto kAlone = std::chrono::microseconds(50);
  constexpr auto kMost = std::chrono::milliseconds(2);
  constexpr int kPauses = 16;
  Clock::time_point began = Clock::now();
  while (true) {
    for (int i = 0; i < kPauses; ++i) {
      if (condition())
        return;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    Clock::duration spent = Clock::now() - began;
    if (spent > kMost)
      return;
    if (spent > kAlone)
      std::this_thread::yield();
  }
}

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned thread = 1; thread < threads; ++thread)
    workers.emplace_back([this, thread] { work(thread); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
    ++generation;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::takePieces(const Job &job, unsigned thread) {
  while (true) {
    int64_t piece = nextPiece.fetch_add(1, std::memory_order_relaxed);
    if (piece >= job.pieces)
      return;
    job.function(job.argument, piece, thread);
  }
}

void ThreadPool::run(int64_t pieces, Function function, void *argument) {
  Job current{function, argument, pieces};
  if (workers.empty() || pieces <= 1) {
    for (int64_t piece = 0; piece < pieces; ++piece)
      function(argument, piece, 0);
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = current;
    awake.store(true, std::memory_order_relaxed);
    nextPiece.store(0, std::memory_order_relaxed);
    ++generation;
  }
  wake.notify_all();
  takePieces(current, 0);

  // All pieces are taken. Close the job, so that late sleepers stay out of it,
  // and wait for those inside.
  std::unique_lock<std::mutex> lock(mutex);
  job = Job();
  if (active.load() != 0) {
    lock.unlock();
    spinUntil([&] { return active.load() == 0; });
    lock.lock();
    done.wait(lock, [&] { return active.load() == 0; });
  }
}

void ThreadPool::work(unsigned thread) {
  uint64_t seen = 0;
  while (true) {
    spinUntil([&] { return generation.load() != seen || !isAwake(); });
    std::unique_lock<std::mutex> lock(mutex);
    wake.wait(lock, [&] { return generation.load() != seen; });
    seen = generation.load();
    if (stop)
      return;
    if (!job.function)
      continue;
    Job current = job;
    ++active;
    lock.unlock();
    takePieces(current, thread);
    lock.lock();
    if (--active == 0)
      done.notify_one();
  }
}
