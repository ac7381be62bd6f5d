//===- Gather.h - Many values from the device in one copy -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_GATHER_H
#define DYNBATCH_LIB_CUDA_GATHER_H

#include "cuda/DeviceBuffer.h"
#include "cuda/Launcher.h"
#include "cuda/TableUpload.h"

#include <cstdint>
#include <vector>

namespace dynbatch::rt::cuda {

/// Brings values back to the host: few or large ones in a copy each, the others
/// by a kernel that gathers them and one copy.
class Gather {
public:
  explicit Gather(Stream &stream)
      : stream(stream), packed(stream, "values to read back") {}

  /// Asks for `bytes` at `address`; `place`, a pointer, gets their address on
  /// the host, which is good until the next `prepare`.
  void add(int64_t address, size_t bytes, void *place) {
    requests.push_back({address, bytes, 0, place});
  }
  bool empty() const { return requests.empty(); }

  // In this order, the first two in the device's Scope: memory and the kernel's
  // table; after the tables were sent, what the device has to do; and when it
  // has done so, the addresses.
  Status prepare(TableUpload &tables);
  Status start(const TableUpload &tables, Launcher &launcher);
  void deliver();

  /// Forgets what was asked for.
  void clear() { requests.clear(); }

  int64_t fetchedBytes() const { return fetched; }

private:
  struct Request {
    int64_t address;
    size_t bytes;
    size_t offset; ///< in `host`
    void *place;
  };
  /// One block of the kernel; part of its interface.
  struct Entry {
    uint64_t source, destination, bytes;
  };
  bool isDirect(const Request &request) const {
    return gathered == 0 || request.bytes > kDirectBytes;
  }

  /// From this size on a value has a copy of its own.
  static constexpr size_t kDirectBytes = 64 * 1024;
  /// So many others have, too, if there are no more.
  static constexpr size_t kFew = 4;

  Stream &stream;
  std::vector<Request> requests;
  size_t gathered = 0;    ///< number of requests that the kernel serves
  size_t packedBytes = 0; ///< of them
  size_t table = 0;       ///< their place in the tables
  DeviceBuffer packed;
  PinnedMemory host;
  int64_t fetched = 0;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_GATHER_H
