//===- DynamicSchedule.h - Batches found at run time ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_DYNAMICSCHEDULE_H
#define DYNBATCH_LIB_CORE_DYNAMICSCHEDULE_H

#include "core/Arena.h"
#include "core/Queues.h"
#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Schedule.h"
#include "dynbatch/Runtime/Status.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dynbatch::rt {

/// The schedulers of other systems, for comparison. They see only the dataflow
/// graph of the pending tasks, found from operand addresses, and not stages or
/// depths.
class DynamicSchedule {
public:
  struct Batch {
    unsigned kernel;
    /// Schedule::Depth: of its tasks; Schedule::Agenda: its number in the
    /// flush. From 1.
    int64_t depth;
    int64_t count;
    size_t firstWord; ///< in the table of rows
  };

  explicit DynamicSchedule(const ModuleDescriptor &descriptor)
      : descriptor(descriptor) {}

  /// Finds the batches of all pending tasks. `policy` is not Static.
  Status plan(Schedule policy, const Queues &queues, const Arena &arena);

  /// In the order in which they run; until the next plan.
  const std::vector<Batch> &batches() const { return plannedBatches; }
  const int64_t *rows(const Batch &batch) const {
    return table.data() + batch.firstWord;
  }

private:
  struct Task {
    const int64_t *row;
    unsigned kernel;
    int64_t depth;
    int64_t missing; ///< operands whose producers have not run
  };
  struct Block {
    uint64_t begin, end; ///< arena positions
    uint32_t task;
  };

  void collect(const Queues &queues, const Arena &arena);
  void connect(const Arena &arena);
  Status findDepths();
  void planByDepth();
  void planByAgenda();
  /// Calls `ready(task)` for each task whose last missing operand `task` made.
  template <typename Function> void complete(uint32_t task, Function ready);
  void beginBatch(unsigned kernel, int64_t depth);
  /// Adds to the latest batch.
  void addRow(const Task &task);

  const ModuleDescriptor &descriptor;
  std::vector<Task> tasks;
  std::vector<Block> blocks; ///< by position
  /// Consumers of task t: those in [firstConsumer[t], firstConsumer[t + 1]).
  std::vector<uint32_t> firstConsumer;
  std::vector<uint32_t> consumers;
  std::vector<std::pair<uint32_t, uint32_t>> edges; ///< producer, consumer
  std::vector<uint32_t> order;
  std::vector<Batch> plannedBatches;
  std::vector<int64_t> table;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_DYNAMICSCHEDULE_H
