//===- Stream.cpp - What a GPU does one after the other ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Stream.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Result<std::unique_ptr<Stream>> Stream::create(Device &device) {
  std::unique_ptr<Stream> stream(new Stream(device));
  // Not in order with the default stream, which others may use.
  Status status = device.check(
      device.driver().cuStreamCreate(&stream->stream, CU_STREAM_NON_BLOCKING),
      "cuStreamCreate");
  if (!status.ok())
    return status;
  return stream;
}

Stream::~Stream() {
  if (!stream)
    return;
  Device::Scope scope(gpu);
  gpu.driver().cuStreamSynchronize(stream);
  retired.clear();
  gpu.driver().cuStreamDestroy(stream);
}

Status Stream::upload(CUdeviceptr to, const void *from, size_t bytes) {
  busy = true;
  return gpu.check(gpu.driver().cuMemcpyHtoDAsync(to, from, bytes, stream),
                   "cuMemcpyHtoDAsync");
}

Status Stream::download(void *to, CUdeviceptr from, size_t bytes) {
  busy = true;
  return gpu.check(gpu.driver().cuMemcpyDtoHAsync(to, from, bytes, stream),
                   "cuMemcpyDtoHAsync");
}

Status Stream::fill(CUdeviceptr to, unsigned char value, size_t bytes) {
  busy = true;
  return gpu.check(gpu.driver().cuMemsetD8Async(to, value, bytes, stream),
                   "cuMemsetD8Async");
}

Status Stream::launch(CUfunction function, const unsigned (&grid)[3],
                      const unsigned (&block)[3], unsigned sharedBytes,
                      void **arguments, const char *kernel,
                      const char *location) {
  busy = true;
  gpu.launched(kernel, location);
  return gpu.check(gpu.driver().cuLaunchKernel(
                       function, grid[0], grid[1], grid[2], block[0], block[1],
                       block[2], sharedBytes, stream, arguments, nullptr),
                   "cuLaunchKernel");
}

Status Stream::synchronize() {
  Status status = gpu.check(gpu.driver().cuStreamSynchronize(stream),
                            "cuStreamSynchronize");
  if (!status.ok())
    return status;
  busy = false;
  ++waits;
  gpu.idle();
  retired.clear();
  return status;
}
