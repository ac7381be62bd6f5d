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
    rowWords.push_back(kernel.rowWords);
  }
}

Queues::~Queues() {
  for (size_t kernel = 0; kernel < queues.size(); ++kernel) {
    for (int64_t depth = 0; depth < capacity[kernel]; ++depth)
      std::free(queues[kernel].buckets[depth].begin);
    std::free(queues[kernel].buckets);
  }
}

int64_t *Queues::reserve(int64_t kernel, int64_t depth) {
  dynbatch_queue &queue = queues[kernel];
  if (depth >= capacity[kernel]) {
    int64_t old = capacity[kernel];
    int64_t wanted = std::max(depth + 1, 2 * old);
    auto *buckets = static_cast<dynbatch_bucket *>(
        std::realloc(queue.buckets, wanted * sizeof(dynbatch_bucket)));
    if (!buckets)
      return nullptr;
    std::memset(buckets + old, 0, (wanted - old) * sizeof(dynbatch_bucket));
    queue.buckets = buckets;
    capacity[kernel] = wanted;
  }
  queue.num_buckets = std::max(queue.num_buckets, depth + 1);

  dynbatch_bucket &bucket = queue.buckets[depth];
  int64_t words = rowWords[kernel];
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

void Queues::clear() {
  for (dynbatch_queue &queue : queues) {
    for (int64_t depth = 0; depth < queue.num_buckets; ++depth)
      queue.buckets[depth].cursor = queue.buckets[depth].begin;
    queue.num_buckets = 1;
  }
}
