//===- VirtualMemory.cpp - Pages from the operating system ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/VirtualMemory.h"

#include <algorithm>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

using namespace dynbatch::rt;

namespace {

constexpr size_t kHugePage = size_t(2) << 20;

size_t pageSize() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// Rounds up; 0 if that overflows.
size_t roundUp(size_t bytes, size_t unit) {
  size_t rounded = (bytes + unit - 1) / unit * unit;
  return bytes > SIZE_MAX - unit ? 0 : rounded;
}

} // namespace

PageBlock::~PageBlock() {
  if (base)
    munmap(base - guard, bytes + guard);
}

PageBlock PageBlock::map(size_t bytes) {
  PageBlock block;
  // A huge page needs an address aligned to it: map one more and trim.
  bool huge = bytes >= kHugePage;
  size_t size = roundUp(bytes ? bytes : 1, huge ? kHugePage : pageSize());
  size_t slack = huge ? kHugePage : 0;
  if (!size || size > SIZE_MAX - slack)
    return block;
  void *mapped = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return block;
  char *first = static_cast<char *>(mapped);
  if (huge) {
    size_t head = -reinterpret_cast<uintptr_t>(first) % kHugePage;
    if (head)
      munmap(first, head);
    if (head != slack)
      munmap(first + head + size, slack - head);
    first += head;
    madvise(first, size, MADV_HUGEPAGE);
  }
  block.base = first;
  block.bytes = size;
  return block;
}

size_t PageBlock::stackStride(size_t bytes) {
  return roundUp(bytes, pageSize()) + pageSize();
}

PageBlock PageBlock::mapStacks(size_t bytes, size_t count) {
  PageBlock block;
  size_t guard = pageSize();
  size_t size = roundUp(bytes, pageSize());
  size_t total;
  if (!size || __builtin_add_overflow(size, guard, &size) ||
      __builtin_mul_overflow(size, count, &total))
    return block;
  void *mapped =
      mmap(nullptr, total, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED)
    return block;
  char *first = static_cast<char *>(mapped);
  for (size_t i = 0; i < count; ++i) {
    if (mprotect(first + i * size, guard, PROT_NONE) != 0) {
      munmap(first, total);
      return block;
    }
  }
  block.base = first + guard;
  block.bytes = total - guard;
  block.guard = guard;
  return block;
}

size_t PageBlock::residentBytes() const {
  constexpr size_t kStep = 4096;
  unsigned char states[kStep];
  size_t resident = 0;
  for (size_t offset = 0; offset < bytes; offset += kStep * pageSize()) {
    size_t part = std::min(bytes - offset, kStep * pageSize());
    if (mincore(base + offset, part, states) != 0)
      break;
    for (size_t i = 0; i < (part + pageSize() - 1) / pageSize(); ++i)
      resident += (states[i] & 1) * pageSize();
  }
  return resident;
}
