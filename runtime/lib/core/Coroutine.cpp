//===- Coroutine.cpp - Code on a stack of its own ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Coroutine.h"

#include <cstdlib>

#ifdef DYNBATCH_ASAN
#include <sanitizer/asan_interface.h>
#endif

using namespace dynbatch::rt;
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

void Coroutine::prepare(char *newStack, size_t newBytes,
                        void (*newFunction)(void *), void *newArgument) {
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
}

void Coroutine::fail() {
  leave(Event::Failed);
  std::abort();
}

void Coroutine::unpoisonStack() {
#ifdef DYNBATCH_ASAN
  // Frames that never returned left their red zones behind.
  char *used = static_cast<char *>(inside);
  __asan_unpoison_memory_region(used, stack + bytes - used);
#endif
}
