//===- ResultBlocks.h - Who made what lies at an address --------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_RESULTBLOCKS_H
#define DYNBATCH_LIB_CORE_RESULTBLOCKS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dynbatch::rt {

/// Index of the block around an arena position; -1 if there is none. Blocks
/// have a `begin` and an `end` and are sorted by position.
template <typename Block>
int64_t findBlock(const std::vector<Block> &blocks, uint64_t position) {
  auto next = std::upper_bound(blocks.begin(), blocks.end(), position,
                               [](uint64_t position, const Block &block) {
                                 return position < block.begin;
                               });
  if (next == blocks.begin() || position >= (next - 1)->end)
    return -1;
  return next - blocks.begin() - 1;
}

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_RESULTBLOCKS_H
