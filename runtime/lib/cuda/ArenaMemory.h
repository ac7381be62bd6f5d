//===- ArenaMemory.h - Device memory for arenas -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_ARENAMEMORY_H
#define DYNBATCH_LIB_CUDA_ARENAMEMORY_H

#include "core/MemorySource.h"
#include "cuda/DriverStack.h"
#include "cuda/Stream.h"

namespace dynbatch::rt::cuda {

/// Gives arenas device memory, from any stack.
class ArenaMemory final : public MemorySource {
public:
  ArenaMemory(Stream &stream, DriverStack &stack)
      : stream(stream), stack(stack) {}

  std::unique_ptr<MemoryBlock> allocate(size_t bytes) override;
  const std::string &failure() const override { return error; }

private:
  Stream &stream;
  DriverStack &stack;
  std::string error;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_ARENAMEMORY_H
