//===- DeviceBuffer.h - Device memory that grows ----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_DEVICEBUFFER_H
#define DYNBATCH_LIB_CUDA_DEVICEBUFFER_H

#include "cuda/Stream.h"

namespace dynbatch::rt::cuda {

/// Memory that one step of a stream after the other uses for the same purpose;
/// contents do not outlive a growth. Functions need the device's Scope.
class DeviceBuffer {
public:
  /// `purpose` is for messages.
  DeviceBuffer(Stream &stream, const char *purpose)
      : stream(stream), purpose(purpose) {}

  /// Makes room for `bytes`. What the device still does with the memory so far
  /// goes on; it waits for that only when there is not enough for both.
  Status reserve(size_t bytes);

  CUdeviceptr address() const { return memory.address(); }

private:
  Stream &stream;
  const char *purpose;
  DeviceMemory memory;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_DEVICEBUFFER_H
