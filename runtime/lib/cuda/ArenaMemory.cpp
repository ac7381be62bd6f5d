//===- ArenaMemory.cpp - Device memory for arenas ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/ArenaMemory.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

namespace {

class DeviceBlock final : public MemoryBlock {
public:
  DeviceBlock(DeviceMemory allocated, Stream &stream, DriverStack &stack)
      : MemoryBlock(reinterpret_cast<char *>(allocated.address()),
                    allocated.size()),
        memory(std::move(allocated)), stream(stream), stack(stack) {}
  ~DeviceBlock() override { stream.retire(std::move(memory)); }

  void poison(size_t count) override {
    if (count == 0)
      return;
    stack.run([&] {
      Device::Scope scope(stream.device());
      // An error is one of the whole context, and comes up again.
      (void)stream.fill(memory.address(), 0xff, count).ok();
    });
  }

private:
  DeviceMemory memory;
  Stream &stream;
  DriverStack &stack;
};

} // namespace

std::unique_ptr<MemoryBlock> ArenaMemory::allocate(size_t bytes) {
  std::unique_ptr<MemoryBlock> block;
  stack.run([&] {
    bool exhausted = false;
    Result<DeviceMemory> memory =
        DeviceMemory::allocate(stream.device(), bytes, exhausted);
    if (memory.ok())
      block = std::make_unique<DeviceBlock>(memory.take(), stream, stack);
    else
      error = memory.message() +
              (exhausted ? "; a smaller minibatch needs less" : "");
  });
  return block;
}
