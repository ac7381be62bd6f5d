//===- Block.h - The threads of a block, one after the other ----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_SIMT_BLOCK_H
#define DYNBATCH_LIB_SIMT_BLOCK_H

#include "core/Coroutine.h"
#include "core/StackPool.h"
#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Status.h"
#include "simt/WarpOperations.h"
#include "simt/WorkgroupMemory.h"

#include <array>
#include <memory>
#include <string>

namespace dynbatch::rt {

using Dim3 = std::array<int64_t, 3>;

/// A kernel and how it is launched.
struct SimtLaunch {
  const char *kernel;
  dynbatch_simt_fn function;
  char *arguments;
  Dim3 grid;
  Dim3 block;
  int64_t staticBytes; ///< of workgroup memory
  int64_t dynamicBytes;
};

class Block;

/// A thread of a block: what the kernel sees of it, and where it stands.
struct SimtThread : dynbatch_simt_thread {
  Block *block = nullptr;
  Coroutine code;
  char *stack = nullptr;
  bool ended = false;
  /// The barrier or warp operation that it waits in; null: it can go on.
  const char *waitsIn = nullptr;
  WarpOperation *operation = nullptr; ///< null at a barrier

  static SimtThread &from(dynbatch_simt_thread *thread) {
    return static_cast<SimtThread &>(*thread);
  }
};

/// Runs blocks, one at a time. Threads take turns, in order of their numbers:
/// each runs until it ends or waits. When all do, those that have met go on;
/// threads that wait for some that will never come are an error.
class Block {
public:
  /// What a GPU allows.
  static constexpr int64_t kMaxThreads = 1024;

  Block();
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Gets ready for the blocks of a launch, which must stay valid.
  Status prepare(const SimtLaunch &launch);
  Status run(const Dim3 &id);

  // Called by the thread that runs, on its stack.
  void waitAtBarrier(SimtThread &thread, const char *what);
  void waitForWarp(SimtThread &thread, const char *what,
                   WarpOperation &operation);
  void access(SimtThread &thread, const char *what,
              WorkgroupMemory::Access access, const char *address,
              size_t bytes);
  /// Records an error about `what`; the thread must leave then. Two steps: what
  /// lives on the stack of a thread that leaves is never destroyed.
  void report(SimtThread &thread, const char *what, const std::string &message);
  [[noreturn]] void leave(SimtThread &thread) { thread.code.fail(); }

private:
  void begin(const Dim3 &id);
  /// Lets every thread that can go on do so; false after an error.
  bool runReady();
  /// Lets lanes that have met go on; sets `any` if there were some.
  Status runWarps(bool &any);
  Status runWarp(unsigned first, bool &any);
  /// Lets all threads go on if they have met at a barrier.
  Status passBarrier();
  Status divergence(const SimtThread &waiting, const SimtThread &other) const;
  std::string describe(const SimtThread &thread) const;
  std::string explain(const WorkgroupMemory::Fault &fault) const;
  /// Checks what the last access has done; false after an error.
  bool settle();

  const SimtLaunch *launch = nullptr;
  Dim3 blockId = {};
  unsigned numThreads = 0;
  unsigned live = 0;
  StackPool stacks;
  std::unique_ptr<SimtThread[]> threads;
  /// How often each warp has exchanged values in this block.
  std::array<uint32_t, kMaxThreads / kWarpSize> warpTimes = {};
  WorkgroupMemory memory;
  SimtThread *lastAccessor = nullptr;
  const char *lastAccess = nullptr; ///< what it does
  std::string error;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_SIMT_BLOCK_H
