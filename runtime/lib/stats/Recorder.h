//===- Recorder.h - Statistics and trace of a running program ---*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_STATS_RECORDER_H
#define DYNBATCH_LIB_STATS_RECORDER_H

#include "core/Arena.h"
#include "core/Executor.h"
#include "core/Queues.h"
#include "dynbatch/Runtime/Statistics.h"
#include "dynbatch/Runtime/Status.h"
#include "stats/TaskGraph.h"
#include "stats/Trace.h"

#include <chrono>
#include <deque>
#include <iosfwd>

namespace dynbatch::rt {

/// Watches minibatches, flushes and batches. A context without need of it has
/// none, and pays one test a batch.
class Recorder {
public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  struct Options {
    bool stats = false;
    bool trace = false;
    bool verify = false;
  };

  /// Memory of a minibatch.
  struct Usage {
    int64_t arenaBytes = 0;
    int64_t heapBytes = 0;
    int64_t mappedBytes = 0;
    int64_t hugePageBytes = 0;
    int64_t fibers = 0;
    int64_t fiberReservedBytes = 0;
    int64_t fiberResidentBytes = 0;
    DeviceStatistics device;
  };

  Recorder(const ModuleDescriptor &descriptor, const Options &options);

  bool hasStatistics() const { return options.stats; }
  bool isOn() const { return options.stats || options.trace || options.verify; }
  Time now() const { return Clock::now(); }

  void beginMinibatch();
  void endMinibatch(bool ok, Time end, int64_t instances, const Usage &usage);
  /// The instance's tasks get arena positions from `position` on.
  void beginInstance(int64_t instance, uint64_t position);
  /// Host code ran from `began` to now.
  void host(Time began);
  void beginFlush(const Queues &queues, const Arena &arena);
  void endFlush(Time began);
  /// An error if the schedule is wrong (Options::verify).
  Status beforeBatch(unsigned kernel, int64_t depth, const int64_t *rows,
                     int64_t count, const Arena &arena);
  /// Whose task that error is about.
  int64_t offendingInstance() const { return graph.offendingInstance(); }
  void afterBatch(unsigned kernel, int64_t depth, int64_t count, Time began);
  /// The same for batches that ran side by side from `began` to now. Each gets
  /// the part of that time that its share of the threads' work is.
  void afterBatches(const std::vector<Batch> &batches, Time began);
  /// The same for a batch that runs later, on a device.
  void deferBatch(unsigned kernel, int64_t depth, int64_t count);
  /// The first deferred batch whose time was not known yet ran so long.
  void deferredBatchRan(Time began, Time ended);
  /// The results were waited for from `began` to now; counts as flush time.
  void fetchedResults(Time began);

  /// Forgets the statistics (not the trace).
  void reset();
  const Statistics &total() const { return totals; }
  const Statistics &last() const { return minibatch; }
  void writeTrace(std::ostream &out) const { trace.write(out); }

private:
  void analysed(Time began);
  void countBatch(unsigned kernel, int64_t count);
  void timeBatch(unsigned kernel, int64_t depth, int64_t count, Time began,
                 Time ended, bool onDevice);

  const ModuleDescriptor &descriptor;
  Options options;
  Statistics totals;
  Statistics minibatch;
  TaskGraph graph;
  Trace trace;
  bool inMinibatch = false; ///< else host code is the prologue
  Time minibatchBegan;
  int64_t faultsBefore = 0; ///< page faults before the minibatch
  int64_t flushTasks = 0;   ///< of the present flush
  struct DeferredBatch {
    unsigned kernel;
    int64_t depth;
    int64_t count;
  };
  std::deque<DeferredBatch> deferred;
  /// Time spent in `graph`, which belongs to no figure: in the present flush,
  /// in the present minibatch.
  Clock::duration flushAnalysis{};
  Clock::duration minibatchAnalysis{};
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_STATS_RECORDER_H
