//===- InstanceStorage.h - What an InstanceSet holds ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_INSTANCESTORAGE_H
#define DYNBATCH_LIB_LOADERS_INSTANCESTORAGE_H

#include "core/Arena.h"
#include "dynbatch/Runtime/Instances.h"

#include <vector>

namespace dynbatch::rt {

struct InstanceSet::Storage {
  /// Sets of instances are often small: no huge page for a first chunk.
  static constexpr size_t kFirstChunk = 64 * 1024;

  std::string name;
  size_t argumentWords = 0; ///< of one instance
  std::vector<uint64_t> arguments;
  std::vector<int64_t> lines;

  char *cellCursor = nullptr, *cellEnd = nullptr;
  char *tensorCursor = nullptr, *tensorEnd = nullptr;
  Arena cells{cellCursor, cellEnd, 0, false, kFirstChunk};
  Arena tensors{tensorCursor, tensorEnd, 0, false, kFirstChunk};
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_INSTANCESTORAGE_H
