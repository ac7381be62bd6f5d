//===- ThreadPool.h - Workers for the pieces of a batch ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CPU_THREADPOOL_H
#define DYNBATCH_LIB_CPU_THREADPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace dynbatch::rt {

/// A fixed number of threads that share the pieces of one job at a time. The
/// caller is one of them; the others sleep between jobs.
class ThreadPool {
public:
  /// Runs piece `piece` on thread `thread` (0 is the caller).
  using Function = void (*)(void *argument, int64_t piece, unsigned thread);

  /// `threads` >= 1, the caller included.
  explicit ThreadPool(unsigned threads);
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  ~ThreadPool();

  unsigned size() const { return workers.size() + 1; }

  /// Calls the function for each piece in [0, pieces), each on one thread;
  /// returns when all are done. Waking a thread takes some ten microseconds, so
  /// the workers stay awake for the next job, until `rest` or for a while.
  void run(int64_t pieces, Function function, void *argument);

  /// Whether the workers wait for a job without sleeping.
  bool isAwake() const { return awake.load(std::memory_order_relaxed); }
  /// No job comes soon.
  void rest() { awake.store(false, std::memory_order_relaxed); }

private:
  struct Job {
    Function function = nullptr;
    void *argument = nullptr;
    int64_t pieces = 0;
  };

  void work(unsigned thread);
  void takePieces(const Job &job, unsigned thread);

  std::vector<std::thread> workers;
  std::atomic<int64_t> nextPiece{0};
  /// Counts jobs; what a worker watches before it goes to sleep.
  std::atomic<uint64_t> generation{0};
  std::atomic<bool> awake{false};
  /// Workers inside the present job.
  std::atomic<unsigned> active{0};

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  Job job;           ///< guarded by mutex; no function: none is open
  bool stop = false; ///< guarded by mutex
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CPU_THREADPOOL_H
