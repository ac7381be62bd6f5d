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

std::optional<WorkgroupMemory::Fault>
WorkgroupMemory::access(unsigned thread, Access access, const char *address,
                        size_t bytes) {
  // Beyond the end for an address before the memory, too.
  size_t first = reinterpret_cast<uintptr_t>(address) -
                 reinterpret_cast<uintptr_t>(pages.data());
  if (first >= size)
    return std::nullopt;
  auto number = [thread](bool several) {
    return static_cast<uint16_t>(several ? Fault::kSeveral : thread);
  };
  for (size_t i = first, end = std::min(first + bytes, size); i < end; ++i) {
    State &state = states[i];
    if (access != Access::Write && state.written == 0)
      return Fault{Fault::Unwritten, i};
    bool othersWrite = state.written == epoch && state.writer != thread;
    bool othersRead = state.read == epoch && state.reader != thread;
    if (othersWrite && access == Access::Write && !state.atomic)
      rewrites.push_back({i, pages.data()[i], state.writer});
    else if (othersWrite && !(access == Access::Atomic && state.atomic))
      return Fault{Fault::WrittenByOther, i, state.writer};
    if (othersRead && access != Access::Read)
      return Fault{Fault::ReadByOther, i, state.reader};

    if (access == Access::Read) {
      state.reader = number(othersRead);
      state.read = epoch;
      continue;
    }
    bool isFirst = state.written != epoch;
    state.atomic = access == Access::Atomic && (isFirst || state.atomic);
    state.writer = number(othersWrite);
    state.written = epoch;
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
