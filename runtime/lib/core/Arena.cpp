//===- Arena.cpp - Memory of one minibatch ----------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"

#include <algorithm>
#include <cstring>

using namespace dynbatch::rt;

static constexpr size_t kLargestStep = size_t(256) << 20;

void Arena::enter(size_t index) {
  current = index;
  cursor = chunks[index].pages.data();
  end = cursor + chunks[index].pages.size();
}

bool Arena::refill(size_t bytes) {
  for (size_t i = current + 1; i < chunks.size(); ++i) {
    if (chunks[i].pages.size() >= bytes) {
      enter(i);
      return true;
    }
  }
  size_t step = chunks.empty()
                    ? firstChunk
                    : std::min(2 * chunks.back().pages.size(), kLargestStep);
  size_t size = std::max(step, bytes);
  if (limit)
    size = std::min(size, limit - std::min(limit, total));
  if (size < bytes)
    return false;
  PageBlock pages = PageBlock::map(size);
  if (!pages.data())
    return false;
  if (poison)
    std::memset(pages.data(), 0xff, pages.size());
  total += pages.size();
  uint64_t start =
      chunks.empty() ? 0 : chunks.back().start + chunks.back().pages.size();
  chunks.push_back({std::move(pages), start});
  enter(chunks.size() - 1);
  return true;
}

void Arena::reset() {
  if (chunks.empty())
    return;
  if (poison) {
    for (size_t i = 0; i < current; ++i)
      std::memset(chunks[i].pages.data(), 0xff, chunks[i].pages.size());
    char *base = chunks[current].pages.data();
    std::memset(base, 0xff, cursor - base);
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
  return chunks[current].start + (cursor - chunks[current].pages.data());
}

uint64_t Arena::position(const void *address) const {
  const char *byte = static_cast<const char *>(address);
  for (size_t i = 0; i < chunks.size() && i <= current; ++i) {
    const char *base = chunks[i].pages.data();
    const char *last = i == current ? cursor : base + chunks[i].pages.size();
    if (byte >= base && byte < last)
      return chunks[i].start + (byte - base);
  }
  return kNowhere;
}
