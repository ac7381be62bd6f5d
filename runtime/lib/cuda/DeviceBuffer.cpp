//===- DeviceBuffer.cpp - Device memory that grows --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/DeviceBuffer.h"

#include <algorithm>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Status DeviceBuffer::reserve(size_t bytes) {
  constexpr size_t kLeast = 4096;
  if (bytes <= memory.size())
    return Status::success();
  Device &device = stream.device();
  bool exhausted = false;
  Result<DeviceMemory> larger = DeviceMemory::allocate(
      device, std::max({bytes, 2 * memory.size(), kLeast}), exhausted);
  if (exhausted) {
    Status status = stream.synchronize();
    if (!status.ok())
      return status;
    memory = DeviceMemory();
    exhausted = false;
    larger = DeviceMemory::allocate(device, bytes, exhausted);
  }
  if (!larger.ok())
    return Status::error(std::string("no memory for ") + purpose + ": " +
                         larger.message() +
                         (exhausted ? "; a smaller minibatch needs less" : ""));
  stream.retire(std::move(memory));
  memory = larger.take();
  return Status::success();
}
