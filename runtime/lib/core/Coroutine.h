//===- Coroutine.h - Code on a stack of its own -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_COROUTINE_H
#define DYNBATCH_LIB_CORE_COROUTINE_H

#include <cstddef>

namespace dynbatch::rt {

/// Runs a function on a given stack, as a coroutine of whoever starts or
/// resumes it. The code may stop half-way and be resumed or dropped, which is
/// how a noreturn error leaves any depth of recursion without unwinding.
class Coroutine {
public:
  /// Why control came back to the caller.
  enum class Event {
    Finished, ///< the function returned
    Parked,   ///< it waits for something: resume() or drop()
    Failed    ///< it gave up and can only be dropped (already done)
  };

  Coroutine() = default;
  Coroutine(const Coroutine &) = delete;
  Coroutine &operator=(const Coroutine &) = delete;
  ~Coroutine() { drop(); }

  /// Caller's side: starts `function(argument)` on the `bytes` of stack from
  /// address `stack` on; drops what was there.
  Event start(char *stack, size_t bytes, void (*function)(void *),
              void *argument);
  /// Caller's side: goes on after Event::Parked.
  Event resume() { return enter(); }
  /// Caller's side: forgets what is parked.
  void drop();

  /// Coroutine's side: hands control to the caller until it resumes.
  void park() { leave(Event::Parked); }
  /// Coroutine's side: hands control to the caller for good.
  [[noreturn]] void fail();

  /// True between start or resume and the next event.
  bool isRunning() const { return running; }
  /// True while it can be resumed.
  bool isParked() const { return inside && !running; }
  /// Bytes of the stack that were in use at the last event.
  size_t depth() const { return usedBytes; }

private:
  Event enter();
  void leave(Event event);
  struct Trampoline;

  char *stack = nullptr;
  size_t bytes = 0;
  void *inside = nullptr;  ///< where the coroutine goes on
  void *outside = nullptr; ///< where the caller goes on
  void (*function)(void *) = nullptr;
  void *argument = nullptr;
  size_t usedBytes = 0;
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

#endif // DYNBATCH_LIB_CORE_COROUTINE_H
