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
  epoch = 1;
}

std::optional<std::string> WorkgroupMemory::access(unsigned thread,
                                                   Access access,
                                                   const char *address,
                                                   size_t bytes) {
  // Beyond the end for an address before the memory, too.
  size_t first = reinterpret_cast<uintptr_t>(address) -
                 reinterpret_cast<uintptr_t>(pages.data());
  if (first >= size)
    return std::nullopt;
  auto at = [](const char *verb, size_t byte) {
    return verb + (" byte " + std::to_string(byte)) + " of workgroup memory, ";
  };
  const char *verb = access == Access::Write ? "writes" : "reads";
  auto race = [&](size_t byte, unsigned other, const char *did) {
    std::string who = other == kSeveral
                          ? "several threads have"
                          : "thread number " + std::to_string(other) + " has";
    return at(verb, byte) + "which " + who + " " + did +
           " since the last barrier";
  };

  for (size_t i = first, end = std::min(first + bytes, size); i < end; ++i) {
    State &state = states[i];
    if (access != Access::Write && state.written == 0)
      return at(verb, i) + "which nobody has written since the block began";
    bool othersWrite = state.written == epoch && state.writer != thread;
    bool othersRead = state.read == epoch && state.reader != thread;
    if (othersWrite && !(access == Access::Atomic && state.atomic))
      return race(i, state.writer, "written");
    if (othersRead && access != Access::Read)
      return race(i, state.reader, "read");

    if (access == Access::Read) {
      state.reader = othersRead ? kSeveral : static_cast<uint16_t>(thread);
      state.read = epoch;
      continue;
    }
    bool first = state.written != epoch;
    state.atomic = access == Access::Atomic && (first || state.atomic);
    state.writer = othersWrite ? kSeveral : static_cast<uint16_t>(thread);
    state.written = epoch;
  }
  return std::nullopt;
}
