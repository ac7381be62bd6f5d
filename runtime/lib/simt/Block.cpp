//===- Block.cpp - The threads of a block, one after the other --*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "simt/Block.h"

#include <algorithm>

using namespace dynbatch::rt;

/// Private memory of a kernel, the registers of a GPU included, lies here.
static constexpr size_t kStackBytes = size_t(256) << 10;

static std::string toString(const int64_t (&triple)[3]) {
  return "(" + std::to_string(triple[0]) + ", " + std::to_string(triple[1]) +
         ", " + std::to_string(triple[2]) + ")";
}

Block::Block() : stacks(kStackBytes), threads(new SimtThread[kMaxThreads]) {}

Status Block::prepare(const SimtLaunch &newLaunch) {
  launch = &newLaunch;
  numThreads = launch->block[0] * launch->block[1] * launch->block[2];
  if (!memory.reserve(launch->staticBytes + launch->dynamicBytes))
    return Status::error("no memory for the workgroup memory of a block");
  for (unsigned i = 0; i < numThreads; ++i) {
    SimtThread &thread = threads[i];
    if (!thread.stack)
      thread.stack = stacks.acquire();
    if (!thread.stack)
      return Status::error(stacks.failure());
    thread.block = this;
    int64_t rest = i;
    for (unsigned d = 0; d < 3; ++d) {
      thread.thread_id[d] = rest % launch->block[d];
      rest /= launch->block[d];
      thread.block_dim[d] = launch->block[d];
      thread.grid_dim[d] = launch->grid[d];
    }
    thread.lane_id = i % kWarpSize;
    thread.subgroup_id = i / kWarpSize;
    thread.num_subgroups = (numThreads + kWarpSize - 1) / kWarpSize;
    thread.workgroup = memory.data();
    thread.dynamic_bytes = launch->dynamicBytes;
  }
  return Status::success();
}

void Block::begin(const Dim3 &id) {
  blockId = id;
  live = numThreads;
  memory.beginBlock();
  warpTimes.fill(0);
  for (unsigned i = 0; i < numThreads; ++i) {
    SimtThread &thread = threads[i];
    std::copy(id.begin(), id.end(), thread.block_id);
    thread.ended = false;
    thread.waitsIn = nullptr;
    thread.operation = nullptr;
    thread.code.prepare(
        thread.stack, kStackBytes,
        [](void *argument) {
          auto &self = *static_cast<SimtThread *>(argument);
          const SimtLaunch &launch = *self.block->launch;
          launch.function(&self, launch.arguments);
        },
        &thread);
  }
}

Status Block::run(const Dim3 &id) {
  begin(id);
  Status status = Status::success();
  while (status.ok()) {
    if (!runReady() || !settle())
      status = Status::error(std::move(error));
    else if (live == 0)
      return status;
    else {
      bool any = false;
      status = runWarps(any);
      if (status.ok() && !any)
        status = passBarrier();
    }
  }
  for (unsigned i = 0; i < numThreads; ++i)
    threads[i].code.drop();
  return status;
}

bool Block::runReady() {
  for (unsigned i = 0; i < numThreads; ++i) {
    SimtThread &thread = threads[i];
    if (thread.ended || thread.waitsIn)
      continue;
    switch (thread.code.resume()) {
    case Coroutine::Event::Parked:
      break;
    case Coroutine::Event::Finished:
      thread.ended = true;
      --live;
      break;
    case Coroutine::Event::Failed:
      return false;
    }
  }
  return true;
}

Status Block::runWarps(bool &any) {
  for (unsigned first = 0; first < numThreads; first += kWarpSize) {
    Status status = runWarp(first, any);
    if (!status.ok())
      return status;
  }
  return Status::success();
}

Status Block::runWarp(unsigned first, bool &any) {
  SimtThread *lanes = &threads[first];
  unsigned count = std::min(numThreads - first, kWarpSize);
  SimtThread *leader = std::find_if(
      lanes, lanes + count, [](SimtThread &lane) { return lane.operation; });
  if (leader == lanes + count)
    return Status::success();
  unsigned width = leader->operation->width();
  if (width > count)
    return Status::error(describe(*leader) + ": " + leader->waitsIn +
                         ": needs " + std::to_string(width) +
                         " lanes, but the warp has " + std::to_string(count));

  any = true;
  const char *place = leader->waitsIn;
  WarpOperation::Lanes operations = {};
  for (unsigned i = 0; i < count; ++i) {
    if (!lanes[i].ended && lanes[i].waitsIn == place)
      operations[i] = lanes[i].operation;
    else if (i < width)
      return divergence(*leader, lanes[i]);
  }
  if (auto failure = leader->operation->run(operations))
    return Status::error(describe(lanes[failure->lane]) + ": " + place + ": " +
                         failure->message);
  ++warpTimes[first / kWarpSize];
  for (unsigned i = 0; i < count; ++i) {
    if (!operations[i])
      continue;
    lanes[i].waitsIn = nullptr;
    lanes[i].operation = nullptr;
  }
  return Status::success();
}

Status Block::passBarrier() {
  SimtThread *begin = threads.get(), *end = begin + numThreads;
  SimtThread &leader =
      *std::find_if(begin, end, [](SimtThread &t) { return !t.ended; });
  for (SimtThread *thread = begin; thread != end; ++thread)
    if (thread->ended || thread->waitsIn != leader.waitsIn)
      return divergence(leader, *thread);
  for (SimtThread *thread = begin; thread != end; ++thread)
    thread->waitsIn = nullptr;
  memory.synchronize();
  return Status::success();
}

Status Block::divergence(const SimtThread &waiting,
                         const SimtThread &other) const {
  std::string where =
      other.ended ? "has ended" : std::string("waits in ") + other.waitsIn;
  return Status::error(describe(waiting) + ": " + waiting.waitsIn +
                       ": divergence: thread " + toString(other.thread_id) +
                       " " + where);
}

std::string Block::describe(const SimtThread &thread) const {
  return std::string("kernel '") + launch->kernel + "', block " +
         toString(thread.block_id) + ", thread " + toString(thread.thread_id);
}

std::string Block::explain(const WorkgroupMemory::Fault &fault) const {
  using Fault = WorkgroupMemory::Fault;
  if (fault.kind == Fault::Unwritten)
    return "nobody has written since the block began";
  std::string who =
      fault.other == WorkgroupMemory::kSeveral
          ? "several threads have"
          : "thread " + toString(threads[fault.other].thread_id) + " has";
  return who + (fault.kind == Fault::ReadByOther ? " read" : " written") +
         " since the last barrier";
}

void Block::waitAtBarrier(SimtThread &thread, const char *what) {
  thread.waitsIn = what;
  thread.code.park();
}

void Block::waitForWarp(SimtThread &thread, const char *what,
                        WarpOperation &operation) {
  thread.waitsIn = what;
  thread.operation = &operation;
  thread.code.park();
}

void Block::access(SimtThread &thread, const char *what,
                   WorkgroupMemory::Access access, const char *address,
                   size_t bytes) {
  if (!settle())
    leave(thread);
  lastAccessor = &thread;
  lastAccess = what;
  auto warp = static_cast<uint16_t>(thread.subgroup_id);
  auto number = static_cast<uint16_t>(&thread - threads.get());
  auto fault =
      memory.access({number, warp, warpTimes[warp]}, access, address, bytes);
  if (!fault)
    return;
  const char *verb =
      access == WorkgroupMemory::Access::Write ? "writes" : "reads";
  report(thread, what,
         std::string(verb) + " byte " + std::to_string(fault->byte) +
             " of workgroup memory, which " + explain(*fault));
  leave(thread);
}

bool Block::settle() {
  auto fault = memory.settle();
  if (!fault)
    return true;
  report(*lastAccessor, lastAccess,
         "changes byte " + std::to_string(fault->byte) +
             " of workgroup memory, which " + explain(*fault));
  return false;
}

void Block::report(SimtThread &thread, const char *what,
                   const std::string &message) {
  error = describe(thread) + ": " + what + ": " + message;
}
