//===- Coroutine.h - Code on a stack of its own -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_COROUTINE_H
#define DYNBATCH_LIB_CORE_COROUTINE_H

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

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
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef DYNBATCH_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace dynbatch::rt {

/// Runs a function on a given stack, as a coroutine of whoever resumes it. The
/// code may stop half-way and be resumed or dropped, which is how a noreturn
/// error leaves any depth of recursion without unwinding.
///
/// Switches are inline: after one, the processor predicts no return right, so
/// each call between host code and the switch costs more than the switch.
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

  /// Caller's side: drops what was there and gets `function(argument)` ready to
  /// run on the `bytes` of stack from address `stack` on.
  void prepare(char *stack, size_t bytes, void (*function)(void *),
               void *argument);
  /// Caller's side: runs what is ready or parked until the next event.
  Event resume();
  /// Caller's side: asks the caches for what resume() will touch first.
  void prefetch() const {
    const char *first = static_cast<const char *>(inside);
    for (size_t line = 0; line < kPrefetchLines; ++line)
      __builtin_prefetch(first + line * kLineBytes, /*rw=*/1);
  }
  /// Caller's side: forgets what is ready or parked.
  void drop() {
    if (inside)
      dropInside();
  }

  /// Coroutine's side: hands control to the caller until it resumes.
  void park() { leave(Event::Parked); }
  /// Coroutine's side: hands control to the caller for good.
  [[noreturn]] void fail();

  /// True inside resume.
  bool isRunning() const { return running; }
  /// Bytes of the stack that were in use at the last event.
  size_t depth() const { return usedBytes; }

private:
  static constexpr size_t kLineBytes = 64;
  /// Saved registers and the innermost frames.
  static constexpr size_t kPrefetchLines = 8;

  void leave(Event event);
  void dropInside();
  void unpoisonStack();
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

inline Coroutine::Event Coroutine::resume() {
  running = true;
#ifdef DYNBATCH_ASAN
  __sanitizer_start_switch_fiber(&sanitizer.outsideFake, stack, bytes);
#endif
#ifdef DYNBATCH_TSAN
  sanitizer.outsideFiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizer.insideFiber, 0);
#endif
  boost::context::detail::transfer_t transfer =
      boost::context::detail::jump_fcontext(inside, this);
#ifdef DYNBATCH_ASAN
  __sanitizer_finish_switch_fiber(sanitizer.outsideFake, nullptr, nullptr);
#endif
  inside = transfer.fctx;
  usedBytes = stack + bytes - static_cast<char *>(inside);
  running = false;
  if (event != Event::Parked)
    dropInside();
  return event;
}

inline void Coroutine::leave(Event newEvent) {
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
  boost::context::detail::transfer_t transfer =
      boost::context::detail::jump_fcontext(outside, this);
  outside = transfer.fctx;
#ifdef DYNBATCH_ASAN
  __sanitizer_finish_switch_fiber(
      sanitizer.insideFake, &sanitizer.outsideBottom, &sanitizer.outsideSize);
#endif
}

inline void Coroutine::dropInside() {
#ifdef DYNBATCH_ASAN
  unpoisonStack();
#endif
#ifdef DYNBATCH_TSAN
  __tsan_destroy_fiber(sanitizer.insideFiber);
#endif
  inside = nullptr;
}

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_COROUTINE_H
