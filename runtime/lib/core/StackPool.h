//===- StackPool.h - Stacks of fibers ---------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_STACKPOOL_H
#define DYNBATCH_LIB_CORE_STACKPOOL_H

#include "core/VirtualMemory.h"
#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <vector>

namespace dynbatch::rt {

/// Guarded stacks of one size, mapped many at once and used again, the latest
/// first. They stay resident as far as they were ever used.
class StackPool {
public:
  /// Maps nothing before the first acquire.
  explicit StackPool(size_t stackBytes) : bytes(stackBytes) {}

  /// An error if a stack of that size is of no use.
  static Status check(size_t stackBytes);

  /// The lowest address of a stack; null if the system has no more memory.
  char *acquire() {
    if (free.empty() && !grow())
      return nullptr;
    char *stack = free.back();
    free.pop_back();
    return stack;
  }
  void release(char *stack) { free.push_back(stack); }

  /// Lowest address that recursive code may use: keeps a reserve for the code
  /// that finds out.
  static char *limit(char *stack) { return stack + kReserve; }

  size_t stackBytes() const { return bytes; }
  size_t inUse() const { return total - free.size(); }
  /// Address space of all stacks, guards included.
  size_t reservedBytes() const { return total * PageBlock::stackStride(bytes); }
  size_t residentBytes() const;
  /// Why acquire has failed.
  std::string failure() const;

private:
  /// For runtime functions and for the frame of the function that finds the
  /// limit passed.
  static constexpr size_t kReserve = 32 * 1024;

  bool grow();

  size_t bytes;
  std::vector<PageBlock> slabs;
  std::vector<char *> free;
  size_t total = 0; ///< number of stacks
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_STACKPOOL_H
