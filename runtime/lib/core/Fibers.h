//===- Fibers.h - Host code that may wait -----------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_FIBERS_H
#define DYNBATCH_LIB_CORE_FIBERS_H

#include "core/Coroutine.h"
#include "core/StackPool.h"
#include "dynbatch/Runtime/ABI.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace dynbatch::rt {

/// The work of one instance, or a part of it, with a stack of its own.
struct Fiber {
  using Function = void (*)(dynbatch_context *context, char *frame);

  Coroutine code;
  char *stack = nullptr; ///< null: has not started or has ended
  Function function = nullptr;
  char *frame = nullptr;
  dynbatch_context *context = nullptr;
  int64_t instance = -1;
  bool child = false;      ///< somebody joins it
  Fiber *waiter = nullptr; ///< is in join for it
  Fiber *next = nullptr;   ///< in a FiberList
};

/// First in, first out.
class FiberList {
public:
  FiberList() = default;
  FiberList(const FiberList &) = delete;
  FiberList &operator=(const FiberList &) = delete;

  bool empty() const { return !head; }
  /// What pop would return, or null.
  Fiber *front() const { return head; }
  void push(Fiber &fiber) {
    fiber.next = nullptr;
    *tail = &fiber;
    tail = &fiber.next;
  }
  Fiber *pop() {
    Fiber *fiber = head;
    head = fiber->next;
    if (!head)
      tail = &head;
    return fiber;
  }
  /// Takes all of `other` behind its own.
  void append(FiberList &other) {
    if (other.empty())
      return;
    *tail = other.head;
    tail = other.tail;
    other.clear();
  }
  void clear() {
    head = nullptr;
    tail = &head;
  }

private:
  Fiber *head = nullptr;
  Fiber **tail = &head;
};

/// Fibers of a context, scheduled by turns: one runs until it ends or waits,
/// for a flush or for the end of another one. The order is the same in each
/// run.
class Fibers {
public:
  using Event = Coroutine::Event;

  /// Keeps `context.stack_limit` right while fibers run.
  Fibers(dynbatch_context &context, size_t stackBytes)
      : context(context), pool(stackBytes) {}
  Fibers(const Fibers &) = delete;
  Fibers &operator=(const Fibers &) = delete;

  /// A fiber that has not started, for `enter`; null if there is no stack for
  /// it: StackPool::failure.
  Fiber *create(Fiber::Function function, char *frame, int64_t instance,
                bool child);
  /// Runs a fresh or ready fiber until it ends or waits, for its scheduler or
  /// (a fresh child) for the fiber that spawned it. One that is not a child is
  /// gone when it has finished.
  Event enter(Fiber &fiber);
  /// Forgets a child that has ended.
  void recycle(Fiber &fiber) { unused.push(fiber); }

  /// The next fiber that can go on; null if there is none.
  Fiber *takeReady();
  /// Are there fibers that wait for a flush?
  bool anyParked() const { return !parked.empty(); }
  /// After a flush: those that waited for it can go on.
  void wakeParked() { ready.append(parked); }
  /// Number of fibers that have started and not ended.
  size_t alive() const { return pool.inUse(); }
  /// Forgets all fibers wherever they are.
  void abandon();

  /// The fiber that runs; null outside.
  Fiber *current() const { return running; }
  // Called by the fiber that runs.
  void waitForFlush();
  void waitFor(Fiber &child);
  [[noreturn]] void fail() { running->code.fail(); }

  const StackPool &stacks() const { return pool; }
  /// Most fibers alive at once since the last call.
  size_t takePeak();

private:
  dynbatch_context &context;
  StackPool pool;
  std::deque<Fiber> fibers; ///< all that ever were needed at once
  FiberList unused;
  FiberList ready;
  FiberList parked;
  Fiber *running = nullptr;
  size_t peak = 0;
};

inline Fiber *Fibers::takeReady() {
  if (ready.empty())
    return nullptr;
  Fiber *fiber = ready.pop();
  // Its frames were last used before the flush.
  if (Fiber *next = ready.front()) {
    next->code.prefetch();
    if (next->next)
      __builtin_prefetch(next->next);
  }
  return fiber;
}

inline Fibers::Event Fibers::enter(Fiber &fiber) {
  Fiber *outer = running;
  running = &fiber;
  context.stack_limit = StackPool::limit(fiber.stack);
  Event event = fiber.code.resume();
  running = outer;
  if (outer)
    context.stack_limit = StackPool::limit(outer->stack);
  if (event == Event::Finished) {
    pool.release(std::exchange(fiber.stack, nullptr));
    if (fiber.waiter)
      ready.push(*fiber.waiter);
    if (!fiber.child)
      recycle(fiber);
  }
  return event;
}

inline void Fibers::waitForFlush() {
  Fiber &self = *running;
  parked.push(self);
  self.code.park();
}

inline void Fibers::waitFor(Fiber &child) {
  if (!child.stack)
    return;
  child.waiter = running;
  running->code.park();
}

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_FIBERS_H
