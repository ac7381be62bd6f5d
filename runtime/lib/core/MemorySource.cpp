//===- MemorySource.cpp - Where arenas get memory ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/MemorySource.h"

#include "core/VirtualMemory.h"

#include <cstring>
#include <utility>

using namespace dynbatch::rt;

namespace {

class HostBlock final : public MemoryBlock {
public:
  explicit HostBlock(PageBlock mapped)
      : MemoryBlock(mapped.data(), mapped.size()), pages(std::move(mapped)) {}

  void poison(size_t count) override { std::memset(data(), 0xff, count); }

private:
  PageBlock pages;
};

class HostMemory final : public MemorySource {
public:
  std::unique_ptr<MemoryBlock> allocate(size_t bytes) override {
    PageBlock pages = PageBlock::map(bytes);
    if (!pages.data())
      return nullptr;
    return std::make_unique<HostBlock>(std::move(pages));
  }
  const std::string &failure() const override { return nothing; }

private:
  const std::string nothing;
};

} // namespace

MemorySource &dynbatch::rt::hostMemory() {
  static HostMemory memory;
  return memory;
}
