//===- HostStack.h - The stack that host code runs on -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_HOSTSTACK_H
#define DYNBATCH_LIB_CORE_HOSTSTACK_H

#include "core/Coroutine.h"
#include "core/VirtualMemory.h"
#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <memory>

namespace dynbatch::rt {

/// A large stack on which compiled host code runs, one function at a time.
class HostStack {
public:
  using Event = Coroutine::Event;

  /// Reserves a stack of `bytes` with a guard page.
  static Result<std::unique_ptr<HostStack>> create(size_t bytes);
  HostStack(const HostStack &) = delete;
  HostStack &operator=(const HostStack &) = delete;

  /// Caller's side: starts `function(argument)` on the empty stack.
  Event start(void (*function)(void *), void *argument) {
    code.prepare(pages.data(), pages.size(), function, argument);
    return resume();
  }
  /// Caller's side: goes on after Event::Parked.
  Event resume() { return trim(code.resume()); }
  /// Caller's side: forgets what is parked on the stack.
  void drop();

  /// Stack's side.
  void park() { code.park(); }
  [[noreturn]] void fail() { code.fail(); }

  bool isRunning() const { return code.isRunning(); }
  /// Lowest address that recursive code may use: keeps a reserve for the code
  /// that finds out.
  char *limit() const;
  size_t size() const { return requested; }

private:
  HostStack(PageBlock pages, size_t requested)
      : pages(std::move(pages)), requested(requested) {}
  Event trim(Event event);

  PageBlock pages;
  size_t requested;
  Coroutine code;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_HOSTSTACK_H
