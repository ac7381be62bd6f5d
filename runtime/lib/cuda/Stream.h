//===- Stream.h - What a GPU does one after the other -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_STREAM_H
#define DYNBATCH_LIB_CUDA_STREAM_H

#include "cuda/Memory.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dynbatch::rt::cuda {

/// Work of the device in order, started by one thread at a time. But for the
/// destructor, functions need the device's Scope.
class Stream {
public:
  static Result<std::unique_ptr<Stream>> create(Device &device);
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream();

  Device &device() const { return gpu; }
  CUstream handle() const { return stream; }

  /// Copies, later: both places must stay until then.
  Status upload(CUdeviceptr to, const void *from, size_t bytes);
  Status download(void *to, CUdeviceptr from, size_t bytes);
  Status fill(CUdeviceptr to, unsigned char value, size_t bytes);
  /// `arguments` are read at once.
  Status launch(CUfunction function, const unsigned (&grid)[3],
                const unsigned (&block)[3], unsigned sharedBytes,
                void **arguments, const char *kernel, const char *location);

  /// Waits until all is done.
  Status synchronize();
  /// Is all done, as far as the host knows?
  bool idle() const { return !busy; }
  /// Number of times that it was.
  uint64_t synchronizations() const { return waits; }

  /// Frees memory as soon as nothing can use it any more.
  void retire(DeviceMemory memory) {
    if (busy)
      retired.push_back(std::move(memory));
  }

private:
  explicit Stream(Device &device) : gpu(device) {}

  Device &gpu;
  CUstream stream = nullptr;
  bool busy = false;
  uint64_t waits = 0;
  std::vector<DeviceMemory> retired;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_STREAM_H
