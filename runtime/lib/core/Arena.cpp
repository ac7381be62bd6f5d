//===- Arena.cpp - Memory of one minibatch ----------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"

#include <algorithm>
#include <utility>

using namespace dynbatch::rt;

static constexpr size_t kLargestStep = size_t(256) << 20;

void Arena::enter(size_t index) {
  current = index;
  cursor = chunks[index].memory->data();
  end = cursor + chunks[index].memory->size();
}

bool Arena::refill(size_t bytes) {
  for (size_t i = current + 1; i < chunks.size(); ++i) {
    if (chunks[i].memory->size() >= bytes) {
      enter(i);
      return true;
    }
  }
  size_t step = chunks.empty()
                    ? firstChunk
                    : std::min(2 * chunks.back().memory->size(), kLargestStep);
  size_t size = std::max(step, bytes);
  if (limit)
    size = std::min(size, limit - std::min(limit, total));
  if (size < bytes)
    return false;
  std::unique_ptr<MemoryBlock> memory = source.allocate(size);
  // What is left may be less than the usual step.
  while (!memory && size > std::max(bytes, firstChunk)) {
    size = std::max({size / 2, bytes, firstChunk});
    memory = source.allocate(size);
  }
  if (!memory)
    return false;
  if (poison)
    memory->poison(memory->size());
  total += memory->size();
  uint64_t start =
      chunks.empty() ? 0 : chunks.back().start + chunks.back().memory->size();
  chunks.push_back({std::move(memory), start});
  enter(chunks.size() - 1);
  return true;
}

void Arena::reset() {
  if (chunks.empty())
    return;
  if (poison) {
    for (size_t i = 0; i < current; ++i)
      chunks[i].memory->poison(chunks[i].memory->size());
    MemoryBlock &last = *chunks[current].memory;
    last.poison(cursor - last.data());
  }
  enter(0);
}

void Arena::release() {
  chunks.clear();
  current = total = 0;
  cursor = end = nullptr;
}

size_t Arena::used() const {
  if (chunks.empty())
    return 0;
  return chunks[current].start + (cursor - chunks[current].memory->data());
}

uint64_t Arena::position(const void *address) const {
  const char *byte = static_cast<const char *>(address);
  for (size_t i = 0; i < chunks.size() && i <= current; ++i) {
    const char *base = chunks[i].memory->data();
    const char *last = i == current ? cursor : base + chunks[i].memory->size();
    if (byte >= base && byte < last)
      return chunks[i].start + (byte - base);
  }
  return kNowhere;
}
