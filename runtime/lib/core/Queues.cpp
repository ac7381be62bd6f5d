//===- Queues.cpp - Pending tasks -------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Queues.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace dynbatch::rt;

static constexpr int64_t kFirstRows = 8;

Queues::Queues(const ModuleDescriptor &descriptor) {
  for (const Kernel &kernel : descriptor.kernels) {
    // Bucket 0 always exists.
    auto *bucket =
        static_cast<dynbatch_bucket *>(std::calloc(1, sizeof(dynbatch_bucket)));
    if (!bucket)
      std::abort();
    queues.push_back({bucket, 1});
    capacity.push_back(1);
    stepped.push_back(kernel.turn == Turn::Steps ? std::make_unique<Rounds>()
                                                 : nullptr);
    rowWords.push_back(kernel.rowWords);
  }
}

static void freeBuckets(dynbatch_queue &queue, int64_t capacity) {
  for (int64_t i = 0; i < capacity; ++i)
    std::free(queue.buckets[i].begin);
  std::free(queue.buckets);
}

Queues::~Queues() {
  for (size_t kernel = 0; kernel < queues.size(); ++kernel) {
    freeBuckets(queues[kernel], capacity[kernel]);
    if (stepped[kernel])
      for (Round &round : stepped[kernel]->rounds)
        freeBuckets(round.queue, round.capacity);
  }
}

/// Takes a row of `words` words from bucket `index`, which is made if needed.
static int64_t *reserveRow(dynbatch_queue &queue, int64_t &capacity,
                           int64_t index, int64_t words) {
  if (index >= capacity) {
    int64_t wanted = std::max(index + 1, 2 * capacity);
    auto *buckets = static_cast<dynbatch_bucket *>(
        std::realloc(queue.buckets, wanted * sizeof(dynbatch_bucket)));
    if (!buckets)
      return nullptr;
    std::memset(buckets + capacity, 0,
                (wanted - capacity) * sizeof(dynbatch_bucket));
    queue.buckets = buckets;
    capacity = wanted;
  }
  queue.num_buckets = std::max(queue.num_buckets, index + 1);

  dynbatch_bucket &bucket = queue.buckets[index];
  if (bucket.end - bucket.cursor < words) {
    int64_t used = bucket.cursor - bucket.begin;
    int64_t wanted =
        std::max(kFirstRows * words, 2 * (bucket.end - bucket.begin));
    auto *rows = static_cast<int64_t *>(
        std::realloc(bucket.begin, wanted * sizeof(int64_t)));
    if (!rows)
      return nullptr;
    bucket = {rows + used, rows + wanted, rows};
  }
  int64_t *row = bucket.cursor;
  bucket.cursor += words;
  return row;
}

int64_t *Queues::reserve(int64_t kernel, int64_t depth) {
  if (!stepped[kernel])
    return reserveRow(queues[kernel], capacity[kernel], depth,
                      rowWords[kernel]);
  Rounds &rounds = *stepped[kernel];
  int64_t round = depth >> DYNBATCH_DEPTH_STEP_BITS;
  int64_t step = depth & ((int64_t(1) << DYNBATCH_DEPTH_STEP_BITS) - 1);
  if (round >= int64_t(rounds.rounds.size()))
    rounds.rounds.resize(round + 1);
  rounds.used = std::max(rounds.used, round + 1);
  return reserveRow(rounds.rounds[round].queue, rounds.rounds[round].capacity,
                    step, rowWords[kernel]);
}

Queues::Tasks Queues::tasks(unsigned kernel, int64_t round,
                            int64_t step) const {
  if (round >= numRounds(kernel) || step >= numSteps(kernel, round))
    return {nullptr, 0};
  const dynbatch_bucket &bucket =
      stepped[kernel] ? stepped[kernel]->rounds[round].queue.buckets[step]
                      : queues[kernel].buckets[round];
  return {bucket.begin, (bucket.cursor - bucket.begin) / rowWords[kernel]};
}

static void emptyBuckets(dynbatch_queue &queue) {
  for (int64_t i = 0; i < queue.num_buckets; ++i)
    queue.buckets[i].cursor = queue.buckets[i].begin;
}

void Queues::clear() {
  for (dynbatch_queue &queue : queues) {
    emptyBuckets(queue);
    queue.num_buckets = 1;
  }
  for (std::unique_ptr<Rounds> &rounds : stepped) {
    if (!rounds)
      continue;
    for (int64_t i = 0; i < rounds->used; ++i) {
      emptyBuckets(rounds->rounds[i].queue);
      rounds->rounds[i].queue.num_buckets = 0;
    }
    rounds->used = 0;
  }
}
