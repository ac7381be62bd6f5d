//===- MemorySource.h - Where arenas get memory -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_MEMORYSOURCE_H
#define DYNBATCH_LIB_CORE_MEMORYSOURCE_H

#include <cstddef>
#include <memory>
#include <string>

namespace dynbatch::rt {

/// Memory of the host or of a device; given back on destruction.
class MemoryBlock {
public:
  virtual ~MemoryBlock() = default;

  /// Only an address: host code cannot look into a device's memory.
  char *data() const { return base; }
  size_t size() const { return bytes; }
  /// Fills the first `count` bytes with 0xff, a NaN in every float type.
  virtual void poison(size_t count) = 0;

protected:
  MemoryBlock(char *base, size_t bytes) : base(base), bytes(bytes) {}

private:
  char *base;
  size_t bytes;
};

/// Where an arena gets its chunks.
class MemorySource {
public:
  virtual ~MemorySource() = default;

  /// At least `bytes`, tensor aligned; null if there are none.
  virtual std::unique_ptr<MemoryBlock> allocate(size_t bytes) = 0;
  /// What there is to say about the last allocation that failed; may be empty.
  virtual const std::string &failure() const = 0;
};

/// Pages of this process.
MemorySource &hostMemory();

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_MEMORYSOURCE_H
