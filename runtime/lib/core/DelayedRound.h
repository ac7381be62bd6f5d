//===- DelayedRound.h - Tasks that can wait for the next round --*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_DELAYEDROUND_H
#define DYNBATCH_LIB_CORE_DELAYEDROUND_H

#include "core/Queues.h"
#include "dynbatch/Runtime/Descriptor.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace dynbatch::rt {

/// Behind a forced read, tasks whose operands are all there are in round 0 of
/// their stage, while the same kernels have tasks in round 1 behind a first
/// kernel. If nothing in round 1 needs them they can wait and share its
/// batches.
class DelayedRound {
public:
  explicit DelayedRound(const ModuleDescriptor &descriptor)
      : descriptor(descriptor) {}

  /// Whether the tasks of round 0 can run in round 1, and that saves a batch.
  bool canDelay(const Stage &stage, const Queues &queues);

  /// Pending tasks of rounds 0 and 1 of a part's kernel; until the next call.
  Queues::Tasks join(const Queues &queues, unsigned kernel, int64_t step);

private:
  /// Whether a task of `kernel` in round 1 uses a result of round 0.
  bool usesRoundZero(const Queues &queues, unsigned kernel) const;

  const ModuleDescriptor &descriptor;
  /// Where results of round 0 begin and end.
  std::vector<std::pair<int64_t, int64_t>> results;
  std::vector<int64_t> rows;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_DELAYEDROUND_H
