//===- WorkgroupMemory.cpp - Memory that a block shares ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "simt/WorkgroupMemory.h"

#include <algorithm>
#include <cstring>

using namespace dynbatch::rt;

bool WorkgroupMemory::reserve(size_t bytes) {
  if (bytes > pages.size())
    pages = PageBlock::map(bytes);
  size = bytes;
  return bytes == 0 || pages.data();
}

void WorkgroupMemory::beginBlock() {
  if (size)
    std::memset(pages.data(), 0xff, size);
  states.assign(size, {});
  rewrites.clear();
  epoch = 1;
}

void WorkgroupMemory::add(Mark &mark, const Accessor &accessor) const {
  if (mark.epoch != epoch || isOrdered(mark, accessor)) {
    mark = {epoch, accessor};
    return;
  }
  if (mark.by.thread != accessor.thread)
    mark.by.thread = kSeveral;
  if (mark.by.warp != accessor.warp)
    mark.by.warp = kSeveral;
  mark.by.warpTime = accessor.warpTime;
}

std::optional<WorkgroupMemory::Fault>
WorkgroupMemory::access(const Accessor &accessor, Access access,
                        const char *address, size_t bytes) {
  // Beyond the end for an address before the memory, too.
  size_t first = reinterpret_cast<uintptr_t>(address) -
                 reinterpret_cast<uintptr_t>(pages.data());
  if (first >= size)
    return std::nullopt;
  for (size_t i = first, end = std::min(first + bytes, size); i < end; ++i) {
    State &state = states[i];
    if (access != Access::Write && state.written.epoch == 0)
      return Fault{Fault::Unwritten, i};
    if (conflicts(state.written, accessor)) {
      if (access == Access::Write && !state.atomic)
        rewrites.push_back({i, pages.data()[i], state.written.by.thread});
      else if (access != Access::Atomic || !state.atomic)
        return Fault{Fault::WrittenByOther, i, state.written.by.thread};
    }
    if (access == Access::Read) {
      add(state.read, accessor);
      continue;
    }
    if (conflicts(state.read, accessor))
      return Fault{Fault::ReadByOther, i, state.read.by.thread};
    bool isFirst = state.written.epoch != epoch;
    state.atomic = access == Access::Atomic && (isFirst || state.atomic);
    add(state.written, accessor);
  }
  return std::nullopt;
}

std::optional<WorkgroupMemory::Fault> WorkgroupMemory::settle() {
  std::optional<Fault> fault;
  for (const Rewrite &rewrite : rewrites)
    if (pages.data()[rewrite.byte] != rewrite.value) {
      fault = Fault{Fault::WrittenByOther, rewrite.byte, rewrite.writer};
      break;
    }
  rewrites.clear();
  return fault;
}
