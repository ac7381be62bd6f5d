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
#include <vector>

namespace dynbatch::rt {

/// The queues of dynbatch_context: for each kernel a table of buckets by depth.
/// Compiled code appends rows where there is room and calls reserve elsewhere.
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

  /// Bucket `depth` of `kernel` gets room; returns a row of it, with the cursor
  /// behind. Null if there is no memory.
  int64_t *reserve(int64_t kernel, int64_t depth);

  int64_t numBuckets(unsigned kernel) const {
    return queues[kernel].num_buckets;
  }
  const int64_t *rows(unsigned kernel, int64_t depth) const {
    return queues[kernel].buckets[depth].begin;
  }
  /// Number of tasks in a bucket.
  int64_t count(unsigned kernel, int64_t depth) const {
    const dynbatch_bucket &bucket = queues[kernel].buckets[depth];
    return (bucket.cursor - bucket.begin) / rowWords[kernel];
  }

  /// Forgets all tasks.
  void clear();

private:
  std::vector<dynbatch_queue> queues;
  std::vector<int64_t> capacity; ///< buckets allocated, one a kernel
  std::vector<int64_t> rowWords;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_QUEUES_H
