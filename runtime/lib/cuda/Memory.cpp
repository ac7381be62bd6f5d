//===- Memory.cpp - Memory for a GPU ----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Memory.h"

#include <algorithm>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Result<DeviceMemory> DeviceMemory::allocate(Device &device, size_t bytes,
                                            bool &exhausted) {
  Device::Scope scope(device);
  DeviceMemory memory;
  CUresult error =
      device.driver().cuMemAlloc(&memory.base, std::max<size_t>(bytes, 1));
  if (error) {
    std::string text =
        device.check(error, "cuMemAlloc of " + std::to_string(bytes) + " bytes")
            .message();
    exhausted = error == CUDA_ERROR_OUT_OF_MEMORY;
    if (exhausted)
      text += ", " + device.memoryText();
    return Status::error(std::move(text));
  }
  memory.device = &device;
  memory.bytes = bytes;
  return memory;
}

DeviceMemory::~DeviceMemory() {
  if (!device)
    return;
  Device::Scope scope(*device);
  device->driver().cuMemFree(base);
}

Result<PinnedMemory> PinnedMemory::allocate(Device &device, size_t bytes) {
  Device::Scope scope(device);
  PinnedMemory memory;
  void *base = nullptr;
  Status status =
      device.check(device.driver().cuMemHostAlloc(&base, bytes, /*flags=*/0),
                   "cuMemHostAlloc of " + std::to_string(bytes) + " bytes");
  if (!status.ok())
    return status;
  memory.device = &device;
  memory.base = static_cast<char *>(base);
  memory.bytes = bytes;
  return memory;
}

PinnedMemory::~PinnedMemory() {
  if (!device)
    return;
  Device::Scope scope(*device);
  device->driver().cuMemFreeHost(base);
}

Status PinnedMemory::reserve(Device &device, size_t wanted) {
  constexpr size_t kLeast = 4096;
  if (wanted <= bytes)
    return Status::success();
  Result<PinnedMemory> larger =
      allocate(device, std::max({wanted, 2 * bytes, kLeast}));
  if (!larger.ok())
    return larger.takeError();
  *this = larger.take();
  return Status::success();
}
