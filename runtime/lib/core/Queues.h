//===- Queues.h - Pending tasks ---------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_QUEUES_H
#define DYNBATCH_LIB_CORE_QUEUES_H

#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Descriptor.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dynbatch::rt {

/// The queues of dynbatch_context: for each kernel a table of buckets by round
/// (its depth, in a stage without parts). Compiled code appends rows where
/// there is room and calls reserve elsewhere. A kernel that takes steps has
/// such a table, by step, for each round; compiled code sees none of them.
///
/// Outside reserve a queue shows no more buckets than the deepest task of the
/// present flush needs, so that a flush looks at nothing else. Tables and rows
/// that were needed once are kept.
class Queues {
public:
  explicit Queues(const ModuleDescriptor &descriptor);
  Queues(const Queues &) = delete;
  Queues &operator=(const Queues &) = delete;
  ~Queues();

  dynbatch_queue *data() { return queues.data(); }

  /// The bucket of `kernel` at `depth` (dynbatch_rt_reserve) gets room; returns
  /// a row of it, with the cursor behind. Null if there is no memory.
  int64_t *reserve(int64_t kernel, int64_t depth);

  /// Pending tasks that run in one batch.
  struct Tasks {
    const int64_t *rows;
    int64_t count;
  };
  /// Rounds, and steps of a round, from 0 on; a kernel that takes no steps has
  /// all its tasks of a round in step 0. Nothing is pending outside of them.
  int64_t numRounds(unsigned kernel) const {
    return stepped[kernel] ? stepped[kernel]->used : queues[kernel].num_buckets;
  }
  int64_t numSteps(unsigned kernel, int64_t round) const {
    if (!stepped[kernel])
      return 1;
    return round < stepped[kernel]->used
               ? stepped[kernel]->rounds[round].queue.num_buckets
               : 0;
  }
  Tasks tasks(unsigned kernel, int64_t round, int64_t step = 0) const;
  /// What dynbatch_rt_reserve takes for this place.
  int64_t depth(unsigned kernel, int64_t round, int64_t step) const {
    return stepped[kernel] ? (round << DYNBATCH_DEPTH_STEP_BITS | step) : round;
  }

  /// Calls `function(row, depth)` for all pending tasks of `kernel`, in the
  /// order in which they run.
  template <typename Function>
  void forEachTask(unsigned kernel, Function function) const {
    for (int64_t round = 0; round < numRounds(kernel); ++round)
      for (int64_t step = 0; step < numSteps(kernel, round); ++step) {
        Tasks bucket = tasks(kernel, round, step);
        for (int64_t i = 0; i < bucket.count; ++i)
          function(bucket.rows + i * rowWords[kernel],
                   depth(kernel, round, step));
      }
  }

  /// Forgets all tasks.
  void clear();

private:
  /// The buckets of one round of a kernel that takes steps.
  struct Round {
    dynbatch_queue queue = {nullptr, 0};
    int64_t capacity = 0; ///< buckets allocated
  };
  struct Rounds {
    std::vector<Round> rounds;
    int64_t used = 0;
  };

  std::vector<dynbatch_queue> queues;
  std::vector<int64_t> capacity; ///< buckets allocated, one a kernel
  std::vector<std::unique_ptr<Rounds>> stepped; ///< null without steps
  std::vector<int64_t> rowWords;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_QUEUES_H
