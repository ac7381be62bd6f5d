//===- TaskGraph.h - Which task made which operand --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_STATS_TASKGRAPH_H
#define DYNBATCH_LIB_STATS_TASKGRAPH_H

#include "core/Arena.h"
#include "core/Queues.h"
#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Status.h"

#include <cstdint>
#include <vector>

namespace dynbatch::rt {

/// The dataflow graph of a minibatch, found again from addresses: an operand
/// that points into a task's result block was made by that task. For the lower
/// bound of batches, and to check the schedule.
class TaskGraph {
public:
  /// `chains`: follow the longest chains. `verify`: check each batch.
  TaskGraph(const ModuleDescriptor &descriptor, bool chains, bool verify);

  void clear();
  /// Tasks whose blocks lie behind `position` belong to `instance`.
  void beginInstance(int64_t instance, uint64_t position);
  /// Takes in the tasks that a flush is going to run.
  void addPending(const Queues &queues, const Arena &arena);
  /// Follows (and checks) the operands of a batch. Call it before the batch
  /// runs, batches in order.
  Status addBatch(unsigned kernel, int64_t depth, const int64_t *rows,
                  int64_t count, const Arena &arena);

  /// Whose task an error of addBatch is about; -1 if not known.
  int64_t offendingInstance() const { return offender; }

  /// Longest chain of the tasks of `kernel` on any path of the graph so far.
  int64_t longestChain(unsigned kernel) const { return longest[kernel]; }

private:
  struct Block {
    uint64_t begin, end; ///< arena positions
    unsigned kernel;
    int64_t depth;
    bool done;
  };
  int64_t instanceAt(uint64_t position) const;
  std::string describe(unsigned kernel, int64_t depth) const;

  const ModuleDescriptor &descriptor;
  bool chains, verify;
  int64_t offender = -1;
  std::vector<Block> blocks; ///< by position
  /// For each block, for each kernel: longest chain of its tasks that ends
  /// in the block.
  std::vector<uint32_t> chainTable;
  std::vector<int64_t> longest;  ///< one a kernel
  std::vector<uint32_t> current; ///< row of the task at hand
  std::vector<int64_t> batch;    ///< blocks of the batch at hand

  struct Start {
    uint64_t position;
    int64_t instance;
  };
  std::vector<Start> starts; ///< by position
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_STATS_TASKGRAPH_H
