//===- HostCopies.cpp - Device memory that the host knows -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/HostCopies.h"

#include "core/ResultBlocks.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

void HostCopies::add(CUdeviceptr address, size_t bytes, const void *copy) {
  ranges.push_back({address, address + bytes, static_cast<const char *>(copy)});
}

const void *HostCopies::find(int64_t address) const {
  uint64_t position = static_cast<uint64_t>(address);
  int64_t index = findBlock(ranges, position);
  return index < 0 ? nullptr
                   : ranges[index].copy + (position - ranges[index].begin);
}
