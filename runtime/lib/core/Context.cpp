//===- Context.cpp - State of a running program -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Context.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace dynbatch::rt;

static thread_local Context *runningContext = nullptr;

static constexpr uint64_t kEpochStep = uint64_t(1)
                                       << DYNBATCH_STAMP_EPOCH_SHIFT;

/// The arena's first chunk.
static constexpr size_t kFirstTensors = size_t(4) << 20;

static constexpr char kStopped[] = "the run was stopped";

Context *Context::running() { return runningContext; }

Context::Context(const ModuleDescriptor &descriptor, void *const *params,
                 Executor &executor, std::unique_ptr<HostStack> hostStack,
                 Recorder *recorder, const Options &options)
    : dynbatch_context{}, descriptor(descriptor), executor(executor),
      stack(std::move(hostStack)), fibers(*this, options.fiberStackBytes),
      recorder(recorder), memoryLimit(options.memoryLimit), pending(descriptor),
      schedule(options.schedule), dynamicSchedule(descriptor),
      delayedRound(descriptor),
      tensors(arena_cursor, arena_end, options.memoryLimit, options.poison,
              kFirstTensors, executor.tensorMemory()),
      cells(heap_cursor, heap_end, options.memoryLimit, options.poison),
      temporaries(temporaryCursor, temporaryEnd, options.memoryLimit,
                  options.poison) {
  queues = pending.data();
  this->params = params;
  epoch = kEpochStep;
  stack_limit = stack->limit();
  instance = -1;
}

Status Context::execute(void (*function)(void *), void *argument) {
  Context *outer = runningContext;
  runningContext = this;
  error.clear();
  stack_limit = stack->limit();
  Status status = Status::success();

  Recorder::Time began = recorder ? recorder->now() : Recorder::Time();
  HostStack::Event event = stack->start(function, argument);
  while (true) {
    if (recorder)
      recorder->host(began);
    if (event == HostStack::Event::Failed) {
      status = Status::error(std::move(error));
      break;
    }
    status = flush();
    if (!status.ok()) {
      stack->drop();
      break;
    }
    if (event == HostStack::Event::Finished)
      break;
    if (recorder)
      began = recorder->now();
    event = stack->resume();
  }

  runningContext = outer;
  if (!status.ok())
    pending.clear();
  return status;
}

Status Context::executeOnFibers(Fiber::Function function, char *frame,
                                int64_t begin, int64_t end) {
  Context *outer = runningContext;
  runningContext = this;
  error.clear();
  Status status = Status::success();

  while (true) {
    Recorder::Time began = recorder ? recorder->now() : Recorder::Time();
    bool ok = runFibers(function, frame, begin, end);
    if (recorder)
      recorder->host(began);
    status = ok ? flush() : Status::error(std::move(error));
    if (!status.ok() || !fibers.anyParked())
      break;
    fibers.wakeParked();
  }
  if (status.ok() && fibers.alive() > 0)
    status = Status::error("internal error: " + std::to_string(fibers.alive()) +
                           " fibers wait for each other");

  runningContext = outer;
  if (!status.ok()) {
    fibers.abandon();
    pending.clear();
  }
  return status;
}

bool Context::runFibers(Fiber::Function function, char *frame, int64_t &begin,
                        int64_t end) {
  while (begin < end) {
    enterInstance(begin++);
    Fiber *fiber = fibers.create(function, frame, instance, /*child=*/false);
    if (!fiber) {
      error = fibers.stacks().failure();
      return false;
    }
    if (fibers.enter(*fiber) == Fibers::Event::Failed)
      return false;
  }
  while (Fiber *fiber = fibers.takeReady()) {
    enterInstance(fiber->instance);
    if (fibers.enter(*fiber) == Fibers::Event::Failed)
      return false;
  }
  return true;
}

void Context::enterInstance(int64_t index) {
  instance = index;
  if (recorder)
    recorder->beginInstance(index, tensors.used());
}

void Context::reset() {
  tensors.reset();
  cells.reset();
  temporaries.reset();
  epoch = kEpochStep;
  instance = -1;
}

Status Context::flush() {
  Recorder::Time began;
  if (recorder) {
    began = recorder->now();
    recorder->beginFlush(pending, tensors);
  }
  Status status = runPending();
  if (status.ok()) {
    status = executor.endFlush();
    // A flush serves many instances.
    if (!status.ok())
      instance = -1;
  }
  if (!status.ok())
    return status;
  pending.clear();
  // A stamp of a wrapped epoch could only make a task's depth too large.
  epoch += kEpochStep;
  if (epoch == 0)
    epoch = kEpochStep;
  if (recorder)
    recorder->endFlush(began);
  return status;
}

Status Context::runPending() {
  if (schedule != Schedule::Static) {
    Status status = dynamicSchedule.plan(schedule, pending, tensors);
    for (const DynamicSchedule::Batch &batch : dynamicSchedule.batches()) {
      if (!status.ok())
        break;
      status =
          runBatch(batch.kernel, pending.depth(batch.kernel, batch.depth, 0),
                   dynamicSchedule.rows(batch), batch.count);
    }
    return status;
  }
  for (const Stage &stage : descriptor.stages) {
    int64_t rounds = 0;
    auto countRounds = [&](const std::vector<unsigned> &kernels) {
      for (unsigned kernel : kernels)
        rounds = std::max(rounds, pending.numRounds(kernel));
    };
    countRounds(stage.kernels);
    for (const Part &part : stage.parts)
      countRounds(part.kernels);
    bool delayed = rounds > 1 && delayedRound.canDelay(stage, pending);
    for (int64_t round = delayed ? 1 : 0; round < rounds; ++round) {
      bool joins = delayed && round == 1;
      Status status = runStep(stage.kernels, round, 0, /*joins=*/false);
      for (const Part &part : stage.parts) {
        int64_t steps = 0;
        for (unsigned kernel : part.kernels)
          for (int64_t other = joins ? 0 : round; other <= round; ++other)
            steps = std::max(steps, pending.numSteps(kernel, other));
        // A task depends on tasks of earlier steps, or of other parts.
        bool sideBySide = part.steps && part.kernels.size() > 1 && !joins &&
                          executor.runsSideBySide();
        for (int64_t step = 0; status.ok() && step < steps; ++step)
          status = sideBySide ? runSideBySide(part.kernels, round, step)
                              : runStep(part.kernels, round, step, joins);
      }
      if (!status.ok())
        return status;
    }
  }
  return Status::success();
}

Status Context::runStep(const std::vector<unsigned> &kernels, int64_t round,
                        int64_t step, bool joins) {
  for (unsigned kernel : kernels) {
    Queues::Tasks tasks = joins ? delayedRound.join(pending, kernel, step)
                                : pending.tasks(kernel, round, step);
    if (tasks.count == 0)
      continue;
    Status status = runBatch(kernel, pending.depth(kernel, round, step),
                             tasks.rows, tasks.count);
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status Context::runSideBySide(const std::vector<unsigned> &kernels,
                              int64_t round, int64_t step) {
  together.clear();
  // Not in the order of a single thread, so that Recorder::beforeBatch finds
  // what depends on that order.
  for (auto it = kernels.rbegin(); it != kernels.rend(); ++it)
    if (Queues::Tasks tasks = pending.tasks(*it, round, step); tasks.count)
      together.push_back(
          {*it, pending.depth(*it, round, step), tasks.rows, tasks.count});
  if (together.size() == 1) {
    const Batch &batch = together.front();
    return runBatch(batch.kernel, batch.depth, batch.rows, batch.count);
  }
  if (recorder)
    for (const Batch &batch : together) {
      Status status = recorder->beforeBatch(batch.kernel, batch.depth,
                                            batch.rows, batch.count, tensors);
      if (!status.ok()) {
        instance = recorder->offendingInstance();
        return status;
      }
    }
  Recorder::Time began;
  if (recorder)
    began = recorder->now();
  Status status = executor.runTogether(together);
  if (!status.ok())
    instance = -1;
  if (recorder)
    recorder->afterBatches(together, began);
  return status;
}

Status Context::runBatch(unsigned kernel, int64_t depth, const int64_t *rows,
                         int64_t count) {
  if (mustStop()) {
    instance = -1;
    return Status::error(kStopped);
  }
  auto run = [&] {
    Status status = executor.run(kernel, rows, count);
    // A batch has tasks of many instances.
    if (!status.ok())
      instance = -1;
    return status;
  };
  if (!recorder)
    return run();
  Status status = recorder->beforeBatch(kernel, depth, rows, count, tensors);
  if (!status.ok()) {
    instance = recorder->offendingInstance();
    return status;
  }
  Recorder::Time began = recorder->now();
  status = run();
  if (executor.runsLater())
    recorder->deferBatch(kernel, depth, count);
  else
    recorder->afterBatch(kernel, depth, count, began);
  return status;
}

int64_t *Context::reserve(int64_t kernel, int64_t depth) {
  leaveIfStopped();
  const Kernel &entry = descriptor.kernels[kernel];
  // Rounds begin at 1, but for parts of which no earlier round made an operand.
  bool cyclic = descriptor.stages[entry.stage].cyclic;
  int64_t most = int64_t(1) << DYNBATCH_STAMP_STAGE_SHIFT;
  if (depth < 0 || depth >= most || (depth > 0 && !cyclic) ||
      (depth == 0 && cyclic && entry.turn == Turn::First))
    fail("internal error: a task of kernel '" + entry.name + "' at depth " +
         std::to_string(depth) + " of a stage that is " +
         (cyclic ? "" : "not ") + "cyclic");
  int64_t *row = pending.reserve(kernel, depth);
  if (!row)
    fail("out of memory for the tasks of kernel '" + entry.name +
         "' at depth " + std::to_string(depth));
  return row;
}

char *Context::allocateTensor(size_t bytes) {
  if (char *memory = tensors.allocate(bytes))
    return memory;
  outOfMemory("the tensor arena", tensors, bytes);
}

char *Context::allocateCell(size_t bytes) {
  if (char *memory = cells.allocate(bytes))
    return memory;
  outOfMemory("the host heap", cells, bytes);
}

char *Context::allocateTemporary(size_t alignment, size_t bytes) {
  leaveIfStopped();
  // The cursor stays tensor aligned; more is needed only where asked for.
  constexpr size_t kUnit = DYNBATCH_TENSOR_ALIGNMENT;
  size_t slack = alignment > kUnit ? alignment : 0;
  constexpr size_t kMost = std::numeric_limits<size_t>::max() / 4;
  if (bytes > kMost || slack > kMost)
    outOfMemory("the temporary memory", temporaries, bytes);
  size_t size = (std::max<size_t>(bytes, 1) + slack + kUnit - 1) & -kUnit;
  char *memory = temporaries.allocate(size);
  if (!memory)
    outOfMemory("the temporary memory", temporaries, size);
  if (slack)
    memory += -reinterpret_cast<uintptr_t>(memory) & (alignment - 1);
  return memory;
}

void Context::failStopped() {
  // No instance's error.
  instance = -1;
  fail(kStopped);
}

void Context::outOfMemory(const char *what, const Arena &arena, size_t bytes) {
  std::string message = std::string("out of memory: ") + what + " has used " +
                        std::to_string(arena.used()) + " bytes and needs " +
                        std::to_string(bytes) + " more";
  if (memoryLimit)
    message += ", the limit is " + std::to_string(memoryLimit);
  if (const std::string &failure = arena.memory().failure(); !failure.empty())
    message += ": " + failure;
  fail(std::move(message));
}

const void *Context::read(int64_t address, uint64_t stamp, size_t bytes) {
  Read read{address, bytes};
  if (((stamp ^ epoch) >> DYNBATCH_STAMP_EPOCH_SHIFT) == 0) {
    executor.request(read);
    requestFlush();
    return read.value;
  }
  std::string failure;
  // Nothing is left behind that would have to be freed: fail does not return.
  if (Status status = executor.readNow(read); !status.ok())
    failure = status.message();
  if (!failure.empty()) {
    // The device's, not the instance's.
    instance = -1;
    fail(std::move(failure));
  }
  return read.value;
}

void *Context::spawn(Fiber::Function function, char *frame) {
  // On the host stack a flush comes at once, so nothing can wait.
  if (!fibers.current()) {
    function(this, frame);
    return nullptr;
  }
  Fiber *child = fibers.create(function, frame, instance, /*child=*/true);
  if (!child)
    fail(fibers.stacks().failure());
  Fibers::Event event = fibers.enter(*child);
  if (event == Fibers::Event::Parked)
    return child;
  // The error is the whole instance's.
  if (event == Fibers::Event::Failed)
    fibers.fail();
  fibers.recycle(*child);
  return nullptr;
}

void Context::stackOverflow() {
  bool onFiber = fibers.current();
  size_t bytes = onFiber ? fibers.stacks().stackBytes() : stack->size();
  fail(std::string("recursion too deep: the ") + (onFiber ? "fiber" : "host") +
       " stack of " + std::to_string(bytes) + " bytes is used up");
}

void Context::fail(std::string message) {
  if (!fibers.current() && !stack->isRunning()) {
    std::fprintf(stderr, "dynbatch runtime: %s\n", message.c_str());
    std::abort();
  }
  error = std::move(message);
  if (fibers.current())
    fibers.fail();
  stack->fail();
}
