//===- DeviceParameters.cpp - Parameters in device memory -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/DeviceParameters.h"

#include "dynbatch/Runtime/ABI.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Status DeviceParameters::place(Stream &stream,
                               const ModuleDescriptor &descriptor,
                               const ParameterSet &params) {
  constexpr size_t kUnit = DYNBATCH_TENSOR_ALIGNMENT;
  auto rounded = [](size_t bytes) {
    return (bytes + kUnit - 1) & ~(kUnit - 1);
  };
  size_t count = descriptor.params.size();
  size_t tableBytes = count * sizeof(void *);
  size_t bytes = rounded(tableBytes);
  for (const Parameter &param : descriptor.params)
    bytes += rounded(param.type.dataBytes());
  bool exhausted = false;
  Result<DeviceMemory> allocated =
      DeviceMemory::allocate(stream.device(), bytes, exhausted);
  if (!allocated.ok())
    return Status::error("no memory for the parameters: " +
                         allocated.message());
  memory = allocated.take();

  CUdeviceptr next = memory.address() + rounded(tableBytes);
  Status status = Status::success();
  for (size_t i = 0; i < count && status.ok(); ++i) {
    size_t size = descriptor.params[i].type.dataBytes();
    pointers.push_back(reinterpret_cast<void *>(next));
    copies.add(next, size, params.data(i));
    if (size)
      status = stream.upload(next, params.data(i), size);
    next += rounded(size);
  }
  if (status.ok() && tableBytes)
    status = stream.upload(memory.address(), pointers.data(), tableBytes);
  if (status.ok())
    status = stream.synchronize();
  return status.ok() ? std::move(status)
                     : Status::error("parameters: " + status.message());
}
