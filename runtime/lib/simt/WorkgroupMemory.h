//===- WorkgroupMemory.h - Memory that a block shares -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_SIMT_WORKGROUPMEMORY_H
#define DYNBATCH_LIB_SIMT_WORKGROUPMEMORY_H

#include "core/VirtualMemory.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dynbatch::rt {

/// The workgroup memory of the block that runs, and what its threads have done
/// to each byte. On a GPU no order holds between two barriers, but inside of a
/// warp that exchanges values; here threads take turns, which would hide that
/// one is missing.
class WorkgroupMemory {
public:
  enum class Access { Read, Write, Atomic };

  /// Stands for more than one thread or warp.
  static constexpr uint16_t kSeveral = UINT16_MAX;

  /// Who makes an access.
  struct Accessor {
    uint16_t thread; ///< number in the block
    uint16_t warp;
    uint32_t warpTime; ///< how often the warp has exchanged values
  };

  /// What is wrong with an access: a byte is read that nobody has written, or
  /// the access has no order to what another thread did to it. Threads may
  /// write the same value.
  struct Fault {
    enum Kind { Unwritten, WrittenByOther, ReadByOther };
    Kind kind;
    size_t byte;
    uint16_t other = 0; ///< the other thread
  };

  /// Gets `bytes` of memory ready; false if there is none.
  bool reserve(size_t bytes);
  /// A block begins: nothing is written, memory is filled with 0xff bytes, a
  /// NaN in every float type.
  void beginBlock();
  /// All threads have met: accesses before and behind are ordered. Settle
  /// first.
  void synchronize() { ++epoch; }

  /// Records what is about to be done to the part of `bytes` that lies in this
  /// memory. Settle first.
  std::optional<Fault> access(const Accessor &accessor, Access access,
                              const char *address, size_t bytes);

  /// The last access has been made: what is wrong with its result.
  std::optional<Fault> settle();

  char *data() const { return pages.data(); }

private:
  /// The last accesses of one kind, all in the same epoch.
  struct Mark {
    uint32_t epoch = 0; ///< 0: none since the block began
    Accessor by = {};
  };
  struct State {
    Mark written;
    Mark read;
    bool atomic = false; ///< all writes of that epoch were atomic
  };

  /// Whether what `mark` says came before `accessor`, by an exchange in their
  /// warp.
  static bool isOrdered(const Mark &mark, const Accessor &accessor) {
    return mark.by.warp == accessor.warp &&
           mark.by.warpTime < accessor.warpTime;
  }
  bool conflicts(const Mark &mark, const Accessor &accessor) const {
    return mark.epoch == epoch && mark.by.thread != accessor.thread &&
           !isOrdered(mark, accessor);
  }
  void add(Mark &mark, const Accessor &accessor) const;

  /// A byte that is about to be written, and what another thread wrote there.
  struct Rewrite {
    size_t byte;
    char value;
    uint16_t writer;
  };

  PageBlock pages;
  size_t size = 0;
  std::vector<State> states;     ///< one a byte
  std::vector<Rewrite> rewrites; ///< of the last access
  uint32_t epoch = 1;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_SIMT_WORKGROUPMEMORY_H
