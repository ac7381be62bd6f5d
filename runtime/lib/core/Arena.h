//===- Arena.h - Memory of one minibatch ------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_ARENA_H
#define DYNBATCH_LIB_CORE_ARENA_H

#include "core/MemorySource.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dynbatch::rt {

/// Bump allocation over chunks of memory that are kept and used again after a
/// reset: in steady state a minibatch causes no page fault. The cursor lies
/// outside, where compiled code can move it.
class Arena {
public:
  /// Works on `cursor` and `end`; allocates at most `limit` bytes of chunks (0:
  /// no limit) of `source`, the first one of `firstChunk`. `poison` fills fresh
  /// memory with NaN patterns.
  Arena(char *&cursor, char *&end, size_t limit, bool poison,
        size_t firstChunk = size_t(4) << 20,
        MemorySource &source = hostMemory())
      : cursor(cursor), end(end), source(source), limit(limit),
        firstChunk(firstChunk), poison(poison) {
    cursor = end = nullptr;
  }

  /// Returns `bytes` of memory with the cursor behind it, from a new chunk
  /// unless the current one has room; null if there is no more memory.
  char *allocate(size_t bytes) {
    if (static_cast<size_t>(end - cursor) < bytes && !refill(bytes))
      return nullptr;
    char *result = cursor;
    cursor += bytes;
    return result;
  }

  /// Everything allocated is free again; the chunks stay.
  void reset();
  /// Gives all chunks back to their source.
  void release();
  const MemorySource &memory() const { return source; }

  /// Bytes allocated since the last reset, with what was lost at chunk ends.
  size_t used() const;
  size_t capacity() const { return total; }

  /// Position of an address in the order of allocation; kNowhere for an address
  /// outside the memory allocated since the last reset.
  static constexpr uint64_t kNowhere = ~uint64_t(0);
  uint64_t position(const void *address) const;

private:
  struct Chunk {
    std::unique_ptr<MemoryBlock> memory;
    uint64_t start; ///< position of its first byte
  };

  bool refill(size_t bytes);
  void enter(size_t index);

  char *&cursor;
  char *&end;
  MemorySource &source;
  size_t limit;
  size_t firstChunk;
  bool poison;
  std::vector<Chunk> chunks;
  size_t current = 0; ///< index of the chunk of `cursor`
  size_t total = 0;   ///< bytes of all chunks
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_ARENA_H
