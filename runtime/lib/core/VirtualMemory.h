//===- VirtualMemory.h - Pages from the operating system --------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_VIRTUALMEMORY_H
#define DYNBATCH_LIB_CORE_VIRTUALMEMORY_H

#include <cstddef>
#include <utility>

namespace dynbatch::rt {

/// Zeroed pages of its own; given back on destruction. Backed by huge pages
/// where the system has them, so that large tensors need few TLB entries.
class PageBlock {
public:
  PageBlock() = default;
  PageBlock(PageBlock &&other) { swap(other); }
  PageBlock &operator=(PageBlock &&other) {
    swap(other);
    return *this;
  }
  ~PageBlock();

  /// Maps at least `bytes`; an empty block (data() == null) on failure.
  static PageBlock map(size_t bytes);
  /// Maps `count` stacks of `bytes` (rounded up to pages), uncommitted, each
  /// with an inaccessible page below. The first one begins at data(), the next
  /// ones after stackStride(bytes) each.
  static PageBlock mapStacks(size_t bytes, size_t count = 1);
  static size_t stackStride(size_t bytes);

  /// Bytes of pages from `data()` on, size() of them, that are in memory.
  size_t residentBytes() const;

  char *data() const { return base; }
  size_t size() const { return bytes; }

private:
  void swap(PageBlock &other) {
    std::swap(base, other.base);
    std::swap(bytes, other.bytes);
    std::swap(guard, other.guard);
  }

  char *base = nullptr;
  size_t bytes = 0;
  size_t guard = 0; ///< bytes of the guard below `base`
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_VIRTUALMEMORY_H
