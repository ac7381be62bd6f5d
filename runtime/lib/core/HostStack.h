//===- HostStack.h - The stack that host code runs on -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_HOSTSTACK_H
#define DYNBATCH_LIB_CORE_HOSTSTACK_H

#include "core/VirtualMemory.h"
#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <memory>

namespace dynbatch::rt {

/// A large stack on which compiled host code runs, as a coroutine of its
/// caller. The code may stop half-way and be resumed or dropped, which is how a
/// noreturn error leaves any depth of recursion without unwinding.
class HostStack {
public:
  /// Why control came back to the caller.
  enum class Event {
    Finished, ///< the function returned
    Flush,    ///< it waits for a flush: resume() or drop()
    Failed    ///< it gave up and can only be dropped (already done)
  };

  /// Reserves a stack of `bytes` with a guard page.
  static Result<std::unique_ptr<HostStack>> create(size_t bytes);
  HostStack(const HostStack &) = delete;
  HostStack &operator=(const HostStack &) = delete;
  ~HostStack();

  /// Caller's side: starts `function(argument)` on the empty stack.
  Event start(void (*function)(void *), void *argument);
  /// Caller's side: goes on after Event::Flush.
  Event resume();
  /// Caller's side: forgets what runs on the stack.
  void drop();

  /// Stack's side: hands control to the caller until it resumes.
  void yieldForFlush();
  /// Stack's side: hands control to the caller for good.
  [[noreturn]] void fail();

  /// True between start or resume and the next event.
  bool isRunning() const { return running; }
  /// Lowest address that recursive code may use: keeps a reserve for the code
  /// that finds out.
  char *limit() const;
  size_t size() const { return requested; }

private:
  HostStack(PageBlock pages, size_t requested);
  Event enter();
  void leave(Event event);
  struct Trampoline;

  PageBlock pages;
  size_t requested;
  void *inside = nullptr;  ///< where the stack's code goes on
  void *outside = nullptr; ///< where the caller goes on
  void (*function)(void *) = nullptr;
  void *argument = nullptr;
  Event event = Event::Finished;
  bool running = false;
  /// What the sanitizers want to know about a change of stacks.
  struct SanitizerState {
    void *insideFake = nullptr;
    void *outsideFake = nullptr;
    const void *outsideBottom = nullptr;
    size_t outsideSize = 0;
    void *insideFiber = nullptr;
    void *outsideFiber = nullptr;
  };
  SanitizerState sanitizer;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_HOSTSTACK_H
