//===- DelayedRound.cpp - Tasks that can wait for the next round ----------===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/DelayedRound.h"

#include <algorithm>
#include <limits>

using namespace dynbatch::rt;

/// Calls `function(row)` for the pending tasks of `kernel` in `round`.
template <typename Function>
static void forEachRow(const Queues &queues, const Kernel &info,
                       unsigned kernel, int64_t round, Function function) {
  for (int64_t step = 0; step < queues.numSteps(kernel, round); ++step) {
    Queues::Tasks tasks = queues.tasks(kernel, round, step);
    for (int64_t i = 0; i < tasks.count; ++i)
      function(tasks.rows + i * info.rowWords);
  }
}

bool DelayedRound::usesRoundZero(const Queues &queues, unsigned kernel) const {
  const Kernel &info = descriptor.kernels[kernel];
  bool uses = false;
  forEachRow(queues, info, kernel, 1, [&](const int64_t *row) {
    // A scalar that looks like an address only keeps tasks from waiting.
    uses |= std::any_of(row, row + info.operands, [&](int64_t word) {
      auto next = std::upper_bound(
          results.begin(), results.end(),
          std::make_pair(word, std::numeric_limits<int64_t>::max()));
      return next != results.begin() && word < (next - 1)->second;
    });
  });
  return uses;
}

bool DelayedRound::canDelay(const Stage &stage, const Queues &queues) {
  results.clear();
  bool saves = false;
  for (const Part &part : stage.parts)
    for (unsigned kernel : part.kernels) {
      const Kernel &info = descriptor.kernels[kernel];
      bool inBoth = false;
      forEachRow(queues, info, kernel, 1,
                 [&](const int64_t *) { inBoth = true; });
      bool inZero = false;
      forEachRow(queues, info, kernel, 0, [&](const int64_t *row) {
        inZero = true;
        int64_t begin = row[info.operands];
        results.emplace_back(begin, begin + info.resultBytes);
      });
      saves |= inBoth && inZero;
    }
  if (!saves)
    return false;
  std::sort(results.begin(), results.end());
  auto uses = [&](unsigned kernel) { return usesRoundZero(queues, kernel); };
  return std::none_of(stage.kernels.begin(), stage.kernels.end(), uses) &&
         std::none_of(stage.parts.begin(), stage.parts.end(),
                      [&](const Part &part) {
                        return std::any_of(part.kernels.begin(),
                                           part.kernels.end(), uses);
                      });
}

Queues::Tasks DelayedRound::join(const Queues &queues, unsigned kernel,
                                 int64_t step) {
  Queues::Tasks zero = queues.tasks(kernel, 0, step);
  Queues::Tasks one = queues.tasks(kernel, 1, step);
  if (zero.count == 0 || one.count == 0)
    return zero.count ? zero : one;
  int64_t words = descriptor.kernels[kernel].rowWords;
  rows.assign(zero.rows, zero.rows + zero.count * words);
  rows.insert(rows.end(), one.rows, one.rows + one.count * words);
  return {rows.data(), zero.count + one.count};
}
