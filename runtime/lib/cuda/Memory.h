//===- Memory.h - Memory for a GPU ------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_MEMORY_H
#define DYNBATCH_LIB_CUDA_MEMORY_H

#include "cuda/Device.h"

#include <cstddef>
#include <utility>

namespace dynbatch::rt::cuda {

/// Device memory; freed on destruction. The device must live longer.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) { swap(other); }
  DeviceMemory &operator=(DeviceMemory &&other) {
    swap(other);
    return *this;
  }
  ~DeviceMemory();

  /// Exactly `bytes`, at least one. If there are none the error says how much
  /// is free, and `exhausted` is set; with other errors it is not.
  static Result<DeviceMemory> allocate(Device &device, size_t bytes,
                                       bool &exhausted);

  CUdeviceptr address() const { return base; }
  size_t size() const { return bytes; }

private:
  void swap(DeviceMemory &other) {
    std::swap(device, other.device);
    std::swap(base, other.base);
    std::swap(bytes, other.bytes);
  }

  Device *device = nullptr;
  CUdeviceptr base = 0;
  size_t bytes = 0;
};

/// Host memory that a device copies from and to while the host does something
/// else; freed on destruction. The device must live longer.
class PinnedMemory {
public:
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory &&other) { swap(other); }
  PinnedMemory &operator=(PinnedMemory &&other) {
    swap(other);
    return *this;
  }
  ~PinnedMemory();

  static Result<PinnedMemory> allocate(Device &device, size_t bytes);

  char *data() const { return base; }
  size_t size() const { return bytes; }
  /// Makes room for `wanted` bytes, whatever was inside before.
  Status reserve(Device &device, size_t wanted);

private:
  void swap(PinnedMemory &other) {
    std::swap(device, other.device);
    std::swap(base, other.base);
    std::swap(bytes, other.bytes);
  }

  Device *device = nullptr;
  char *base = nullptr;
  size_t bytes = 0;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_MEMORY_H
