//===- Context.h - State of a running program -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_CONTEXT_H
#define DYNBATCH_LIB_CORE_CONTEXT_H

#include "core/Arena.h"
#include "core/DelayedRound.h"
#include "core/DynamicSchedule.h"
#include "core/Executor.h"
#include "core/Fibers.h"
#include "core/HostStack.h"
#include "core/Queues.h"
#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Schedule.h"
#include "dynbatch/Runtime/Status.h"
#include "stats/Recorder.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace dynbatch::rt {

/// What compiled code knows as dynbatch_context, and what the runtime keeps
/// behind it: memory, pending tasks, the stacks of host code, the first error.
class Context : public dynbatch_context {
public:
  struct Options {
    size_t memoryLimit = 0;
    bool poison = false;
    Schedule schedule = Schedule::Static;
    size_t fiberStackBytes = size_t(192) << 10;
  };

  /// `recorder` may be null: nothing is recorded then.
  Context(const ModuleDescriptor &descriptor, void *const *params,
          Executor &executor, std::unique_ptr<HostStack> stack,
          Recorder *recorder, const Options &options);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  static Context &from(dynbatch_context *context) {
    return static_cast<Context &>(*context);
  }
  /// The context whose host code runs on this thread, or null.
  static Context *running();

  /// Runs `function(argument)` on the host stack, serving its flushes, and at
  /// last a flush for what is pending when it returns. On an error everything
  /// pending is dropped.
  Status execute(void (*function)(void *), void *argument);
  /// Runs `function(this, frame)` for each instance in [begin, end) on a fiber
  /// of its own, serving the flushes of all fibers together. Otherwise like
  /// execute.
  Status executeOnFibers(Fiber::Function function, char *frame, int64_t begin,
                         int64_t end);

  /// From now on the minibatch ends with an error once `flag` is true; null:
  /// never.
  void stopOn(const std::atomic<bool> *flag) { stopFlag = flag; }
  bool mustStop() const {
    return stopFlag && stopFlag->load(std::memory_order_relaxed);
  }
  /// Called by host code: leaves it if the minibatch must stop.
  void leaveIfStopped() {
    if (mustStop())
      failStopped();
  }

  /// Host code for `index` runs from now on.
  void enterInstance(int64_t index);

  /// Ends a minibatch: all memory but the results' slots is free again.
  void reset();
  /// Tensors are now in the executor's memory, parameters at `addresses`.
  void useDevice(void *const *addresses) {
    device = 1;
    params = addresses;
  }
  /// Gives the memory of tensors back.
  void releaseTensors() { tensors.release(); }
  /// Ends the prologue: also gives the temporary memory back.
  void releaseTemporaries() { temporaries.release(); }

  size_t arenaUsed() const { return tensors.used(); }
  size_t heapUsed() const { return cells.used(); }
  /// Host memory of arena, heap and temporaries, which is kept.
  size_t mappedBytes() const {
    return (device ? 0 : tensors.capacity()) + cells.capacity() +
           temporaries.capacity();
  }
  /// Most fibers alive at once since the last call.
  size_t takeFiberPeak() { return fibers.takePeak(); }
  const StackPool &fiberStacks() const { return fibers.stacks(); }

  // Called by host code, on its stack.
  int64_t *reserve(int64_t kernel, int64_t depth);
  char *allocateTensor(size_t bytes);
  char *allocateCell(size_t bytes);
  char *allocateTemporary(size_t alignment, size_t bytes);
  void requestFlush() {
    if (fibers.current())
      fibers.waitForFlush();
    else
      stack->park();
  }
  const void *read(int64_t address, uint64_t stamp, size_t bytes);
  void *spawn(Fiber::Function function, char *frame);
  void join(void *handle) {
    if (!handle)
      return;
    Fiber &child = *static_cast<Fiber *>(handle);
    fibers.waitFor(child);
    fibers.recycle(child);
  }
  [[noreturn]] void stackOverflow();
  /// Records the error and leaves the host code for good.
  [[noreturn]] void fail(std::string message);

private:
  /// Runs what can run; false after an error.
  bool runFibers(Fiber::Function function, char *frame, int64_t &begin,
                 int64_t end);
  Status flush();
  /// Runs all batches.
  Status runPending();
  /// Runs the batches of `kernels` at one place of the schedule; `joins`:
  /// together with the tasks of round 0.
  Status runStep(const std::vector<unsigned> &kernels, int64_t round,
                 int64_t step, bool joins);
  /// The same for kernels whose tasks do not depend on each other.
  Status runSideBySide(const std::vector<unsigned> &kernels, int64_t round,
                       int64_t step);
  Status runBatch(unsigned kernel, int64_t depth, const int64_t *rows,
                  int64_t count);
  [[noreturn]] void failStopped();
  [[noreturn]] void outOfMemory(const char *what, const Arena &arena,
                                size_t bytes);

  const ModuleDescriptor &descriptor;
  Executor &executor;
  std::unique_ptr<HostStack> stack;
  Fibers fibers;
  Recorder *recorder;
  size_t memoryLimit;
  const std::atomic<bool> *stopFlag = nullptr;
  Queues pending;
  Schedule schedule;
  DynamicSchedule dynamicSchedule;
  DelayedRound delayedRound;
  std::vector<Batch> together; ///< of a step; kept for its memory
  char *temporaryCursor = nullptr;
  char *temporaryEnd = nullptr;
  Arena tensors;
  Arena cells;
  Arena temporaries;
  std::string error;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_CONTEXT_H
