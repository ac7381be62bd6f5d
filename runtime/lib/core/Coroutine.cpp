//===- Coroutine.cpp - Code on a stack of its own ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Coroutine.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdlib>

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

struct Coroutine::Trampoline {
  static void run(transfer_t transfer) {
    Coroutine &self = *static_cast<Coroutine *>(transfer.data);
    self.outside = transfer.fctx;
#ifdef DYNBATCH_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &self.sanitizer.outsideBottom,
                                    &self.sanitizer.outsideSize);
#endif
    self.function(self.argument);
    self.leave(Event::Finished);
    // A finished coroutine is never entered again.
    std::abort();
  }
};

Coroutine::Event Coroutine::start(char *newStack, size_t newBytes,
                                  void (*newFunction)(void *),
                                  void *newArgument) {
  drop();
  stack = newStack;
  bytes = newBytes;
  function = newFunction;
  argument = newArgument;
  inside = make_fcontext(stack + bytes, bytes, &Trampoline::run);
#ifdef DYNBATCH_TSAN
  // A fresh one each time: a dropped function never pops its shadow frames.
  sanitizer.insideFiber = __tsan_create_fiber(0);
#endif
  return enter();
}

Coroutine::Event Coroutine::enter() {
  running = true;
#ifdef DYNBATCH_ASAN
  __sanitizer_start_switch_fiber(&sanitizer.outsideFake, stack, bytes);
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
  usedBytes = stack + bytes - static_cast<char *>(inside);
  running = false;
  if (event != Event::Parked)
    drop();
  return event;
}

void Coroutine::leave(Event newEvent) {
  event = newEvent;
#ifdef DYNBATCH_ASAN
  bool forGood = newEvent != Event::Parked;
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

void Coroutine::fail() {
  leave(Event::Failed);
  std::abort();
}

void Coroutine::drop() {
  if (!inside)
    return;
#ifdef DYNBATCH_ASAN
  // Frames that never returned left their red zones behind.
  char *used = static_cast<char *>(inside);
  __asan_unpoison_memory_region(used, stack + bytes - used);
#endif
#ifdef DYNBATCH_TSAN
  __tsan_destroy_fiber(sanitizer.insideFiber);
#endif
  inside = nullptr;
}
