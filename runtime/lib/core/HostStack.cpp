//===- HostStack.cpp - The stack that host code runs on ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/HostStack.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DYNBATCH_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define DYNBATCH_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define DYNBATCH_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define DYNBATCH_TSAN 1
#endif

#ifdef DYNBATCH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DYNBATCH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

using namespace dynbatch::rt;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

/// Left below the limit for runtime functions and for the frame of the
/// function that finds the limit passed.
static constexpr size_t kReserve = 64 * 1024;
static constexpr size_t kSmallestStack = 4 * kReserve;

struct HostStack::Trampoline {
  static void run(transfer_t transfer) {
    HostStack &stack = *static_cast<HostStack *>(transfer.data);
    stack.outside = transfer.fctx;
#ifdef DYNBATCH_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &stack.sanitizer.outsideBottom,
                                    &stack.sanitizer.outsideSize);
#endif
    stack.function(stack.argument);
    stack.leave(Event::Finished);
    // A finished stack is never entered again.
    std::abort();
  }
};

HostStack::HostStack(PageBlock pages, size_t requested)
    : pages(std::move(pages)), requested(requested) {}

HostStack::~HostStack() { drop(); }

Result<std::unique_ptr<HostStack>> HostStack::create(size_t bytes) {
  if (bytes < kSmallestStack)
    return Status::error("a host stack of " + std::to_string(bytes) +
                         " bytes is too small: it needs at least " +
                         std::to_string(kSmallestStack));
  PageBlock pages = PageBlock::mapStack(bytes);
  if (!pages.data())
    return Status::error("cannot reserve a host stack of " +
                         std::to_string(bytes) + " bytes");
  return std::unique_ptr<HostStack>(new HostStack(std::move(pages), bytes));
}

char *HostStack::limit() const { return pages.data() + kReserve; }

HostStack::Event HostStack::start(void (*newFunction)(void *),
                                  void *newArgument) {
  drop();
  function = newFunction;
  argument = newArgument;
  inside = make_fcontext(pages.data() + pages.size(), pages.size(),
                         &Trampoline::run);
#ifdef DYNBATCH_TSAN
  // A fresh one each time: a dropped function never pops its shadow frames.
  sanitizer.insideFiber = __tsan_create_fiber(0);
#endif
  return enter();
}

HostStack::Event HostStack::resume() { return enter(); }

HostStack::Event HostStack::enter() {
  running = true;
#ifdef DYNBATCH_ASAN
  __sanitizer_start_switch_fiber(&sanitizer.outsideFake, pages.data(),
                                 pages.size());
#endif
#ifdef DYNBATCH_TSAN
  sanitizer.outsideFiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer.insideFiber, 0);
#endif
  transfer_t transfer = jump_fcontext(inside, this);
#ifdef DYNBATCH_ASAN
  __sanitizer_finish_switch_fiber(sanitizer.outsideFake, nullptr, nullptr);
#endif
  inside = transfer.fctx;
  running = false;
  if (event != Event::Flush)
    drop();
  return event;
}

void HostStack::leave(Event newEvent) {
  event = newEvent;
#ifdef DYNBATCH_ASAN
  bool forGood = newEvent != Event::Flush;
  __sanitizer_start_switch_fiber(forGood ? nullptr : &sanitizer.insideFake,
                                 sanitizer.outsideBottom,
                                 sanitizer.outsideSize);
#endif
#ifdef DYNBATCH_TSAN
  __tsan_switch_to_fiber(sanitizer.outsideFiber, 0);
#endif
  transfer_t transfer = jump_fcontext(outside, this);
  outside = transfer.fctx;
#ifdef DYNBATCH_ASAN
  __sanitizer_finish_switch_fiber(
      sanitizer.insideFake, &sanitizer.outsideBottom, &sanitizer.outsideSize);
#endif
}

void HostStack::yieldForFlush() { leave(Event::Flush); }

void HostStack::fail() {
  leave(Event::Failed);
  std::abort();
}

void HostStack::drop() {
  if (!inside)
    return;
#ifdef DYNBATCH_ASAN
  // Frames that never returned left their red zones behind.
  char *used = static_cast<char *>(inside);
  __asan_unpoison_memory_region(used, pages.data() + pages.size() - used);
#endif
#ifdef DYNBATCH_TSAN
  __tsan_destroy_fiber(sanitizer.insideFiber);
#endif
  // A deep recursion may have made the whole stack resident: give back what
  // ordinary programs do not use.
  constexpr size_t kKept = size_t(64) << 20;
  size_t depth = pages.data() + pages.size() - static_cast<char *>(inside);
  if (depth > kKept)
    madvise(pages.data(), pages.size() - kKept, MADV_DONTNEED);
  inside = nullptr;
}
