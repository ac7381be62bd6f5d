//===- TableUpload.h - Tables for the device, in one copy -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_TABLEUPLOAD_H
#define DYNBATCH_LIB_CUDA_TABLEUPLOAD_H

#include "cuda/DeviceBuffer.h"

namespace dynbatch::rt::cuda {

/// Collects what a flush has to tell the device. There are two host buffers, so
/// that the next flush can be collected while the device still copies.
class TableUpload {
public:
  static Result<std::unique_ptr<TableUpload>> create(Stream &stream);
  TableUpload(const TableUpload &) = delete;
  TableUpload &operator=(const TableUpload &) = delete;
  ~TableUpload();

  /// Room for `bytes` at a tensor aligned place, to write into at data() until
  /// the next call. Returns the place, in bytes from the beginning.
  Result<size_t> add(size_t bytes);
  char *data(size_t place) { return sides[current].memory.data() + place; }
  size_t size() const { return used; }

  /// Copies all to the device, later, and begins anew. Needs the device's
  /// Scope.
  Status send();
  /// Where it is there, until the next `send`.
  CUdeviceptr address(size_t place) const { return buffer.address() + place; }

  /// Begins anew.
  void clear() { used = 0; }

private:
  struct Side {
    PinnedMemory memory;
    CUevent copied = nullptr;
    bool inFlight = false;
    uint64_t sentAt = 0; ///< Stream::synchronizations then
  };

  explicit TableUpload(Stream &stream)
      : stream(stream), buffer(stream, "the tables of a flush") {}
  /// Waits until the device has read the current side.
  Status wait();

  Stream &stream;
  Side sides[2];
  unsigned current = 0;
  size_t used = 0;
  DeviceBuffer buffer;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_TABLEUPLOAD_H
