//===- InstanceUpload.cpp - Tensors of instances, on the device -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/InstanceUpload.h"

#include "dynbatch/Runtime/ABI.h"

#include <cstring>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Result<const char *> InstanceUpload::send(const InstanceSet &instances,
                                          size_t begin, size_t end) {
  copies.clear();
  total = 0;
  if (begin == end)
    return nullptr;
  const char *original = instances.arguments(begin);
  if (!tensorSlots.in(descriptor.inputs))
    return original;

  constexpr size_t kUnit = DYNBATCH_TENSOR_ALIGNMENT;
  size_t stride = descriptor.inputs.bytes;
  arguments.resize((end - begin) * stride / sizeof(uint64_t));
  char *slots = reinterpret_cast<char *>(arguments.data());
  std::memcpy(slots, original, (end - begin) * stride);
  cells.reset();
  tensors.clear();
  bool full = false;
  for (size_t i = 0; i < end - begin; ++i)
    tensorSlots.walk(
        descriptor.inputs, slots + i * stride,
        [&](const Type &type, char *slot) {
          tensors.push_back(
              {slot, static_cast<size_t>(type.dataBytes()), total});
          total += (type.dataBytes() + kUnit - 1) & ~(kUnit - 1);
        },
        [&](char *cell, size_t bytes) {
          char *copy = cells.allocate((bytes + 15) & ~size_t(15));
          full |= !copy;
          return copy ? static_cast<char *>(std::memcpy(copy, cell, bytes))
                      : nullptr;
        });
  if (full)
    return Status::error("out of memory for the cells of the instances");

  Status status = host.reserve(stream.device(), total);
  if (status.ok())
    status = buffer.reserve(total);
  if (!status.ok())
    return status;
  for (const Tensor &tensor : tensors) {
    const void *data;
    std::memcpy(&data, tensor.slot, sizeof(data));
    std::memcpy(host.data() + tensor.offset, data, tensor.bytes);
    CUdeviceptr address = buffer.address() + tensor.offset;
    std::memcpy(tensor.slot, &address, sizeof(address));
  }
  if (total) {
    copies.add(buffer.address(), total, host.data());
    status = stream.upload(buffer.address(), host.data(), total);
    if (!status.ok())
      return status;
  }
  return slots;
}
