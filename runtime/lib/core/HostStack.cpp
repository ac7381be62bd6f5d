//===- HostStack.cpp - The stack that host code runs on ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/HostStack.h"

#include <string>
#include <sys/mman.h>

using namespace dynbatch::rt;

/// Left below the limit for runtime functions and for the frame of the
/// function that finds the limit passed.
static constexpr size_t kReserve = 64 * 1024;
static constexpr size_t kSmallestStack = 4 * kReserve;

Result<std::unique_ptr<HostStack>> HostStack::create(size_t bytes) {
  if (bytes < kSmallestStack)
    return Status::error("a host stack of " + std::to_string(bytes) +
                         " bytes is too small: it needs at least " +
                         std::to_string(kSmallestStack));
  PageBlock pages = PageBlock::mapStacks(bytes);
  if (!pages.data())
    return Status::error("cannot reserve a host stack of " +
                         std::to_string(bytes) + " bytes");
  return std::unique_ptr<HostStack>(new HostStack(std::move(pages), bytes));
}

char *HostStack::limit() const { return pages.data() + kReserve; }

void HostStack::drop() {
  code.drop();
  trim(Event::Failed);
}

HostStack::Event HostStack::trim(Event event) {
  // A deep recursion may have made the whole stack resident: give back what
  // ordinary programs do not use.
  constexpr size_t kKept = size_t(64) << 20;
  if (event != Event::Parked && code.depth() > kKept)
    madvise(pages.data(), pages.size() - kKept, MADV_DONTNEED);
  return event;
}
