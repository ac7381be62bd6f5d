//===- VirtualMemory.cpp - Pages from the operating system ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/VirtualMemory.h"

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

PageBlock PageBlock::mapStack(size_t bytes) {
  PageBlock block;
  size_t guard = pageSize();
  size_t size = roundUp(bytes, pageSize());
  if (!size || size > SIZE_MAX - guard)
    return block;
  void *mapped =
      mmap(nullptr, size + guard, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapped == MAP_FAILED)
    return block;
  char *first = static_cast<char *>(mapped);
  if (mprotect(first, guard, PROT_NONE) != 0) {
    munmap(first, size + guard);
    return block;
  }
  block.base = first + guard;
  block.bytes = size;
  block.guard = guard;
  return block;
}
