//===- HostCopies.h - Device memory that the host knows ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_HOSTCOPIES_H
#define DYNBATCH_LIB_CUDA_HOSTCOPIES_H

#include "cuda/DriverTypes.h"

#include <cstdint>
#include <vector>

namespace dynbatch::rt::cuda {

/// Ranges of device memory of which the host has the contents: nobody needs to
/// ask the device for them.
class HostCopies {
public:
  /// Ranges in ascending order.
  void add(CUdeviceptr address, size_t bytes, const void *copy);
  void clear() { ranges.clear(); }

  /// The copy of what is at `address`; null if there is none.
  const void *find(int64_t address) const;

private:
  struct Range {
    uint64_t begin, end;
    const char *copy;
  };
  std::vector<Range> ranges;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_HOSTCOPIES_H
