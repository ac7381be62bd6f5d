//===- StackPool.cpp - Stacks of fibers -------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/StackPool.h"

#include <algorithm>
#include <string>

using namespace dynbatch::rt;

static constexpr size_t kFirstStacks = 16;
static constexpr size_t kLargestSlab = size_t(64) << 20;

Status StackPool::check(size_t stackBytes) {
  constexpr size_t kSmallest = 2 * kReserve, kLargest = size_t(1) << 40;
  if (stackBytes < kSmallest || stackBytes > kLargest)
    return Status::error("a fiber stack of " + std::to_string(stackBytes) +
                         " bytes: it must have from " +
                         std::to_string(kSmallest) + " to " +
                         std::to_string(kLargest));
  return Status::success();
}

bool StackPool::grow() {
  size_t stride = PageBlock::stackStride(bytes);
  size_t most = std::max<size_t>(kLargestSlab / stride, 1);
  size_t count = std::min(std::max(kFirstStacks, total), most);
  PageBlock slab = PageBlock::mapStacks(bytes, count);
  if (!slab.data())
    return false;
  // The lowest address comes out first.
  for (size_t i = count; i > 0; --i)
    free.push_back(slab.data() + (i - 1) * stride);
  total += count;
  slabs.push_back(std::move(slab));
  return true;
}

size_t StackPool::residentBytes() const {
  size_t resident = 0;
  for (const PageBlock &slab : slabs)
    resident += slab.residentBytes();
  return resident;
}

std::string StackPool::failure() const {
  return "cannot reserve more fiber stacks: " + std::to_string(total) +
         " are in use, of " + std::to_string(bytes) +
         " bytes each; a stack needs so much address space and two memory "
         "mappings (vm.max_map_count limits them)";
}
