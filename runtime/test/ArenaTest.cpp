//===- ArenaTest.cpp - Chunks, positions, limits ----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"

#include <gtest/gtest.h>

using namespace dynbatch::rt;

TEST(Arena, KeepsItsChunks) {
  char *cursor, *end;
  Arena arena(cursor, end, 0, false, 4096);
  std::vector<char *> first;
  for (int i = 0; i < 100; ++i)
    first.push_back(arena.allocate(640));
  size_t capacity = arena.capacity();
  EXPECT_GE(arena.used(), 64000u);
  arena.reset();
  EXPECT_EQ(arena.used(), 0u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(arena.allocate(640), first[i]);
  EXPECT_EQ(arena.capacity(), capacity);
  arena.release();
  EXPECT_EQ(arena.capacity(), 0u);
  EXPECT_NE(arena.allocate(64), nullptr);
}

TEST(Arena, PositionsFollowTheOrderOfAllocation) {
  char *cursor, *end;
  Arena arena(cursor, end, 0, false, 4096);
  char outside = 0;
  EXPECT_EQ(arena.position(&outside), Arena::kNowhere);
  uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    char *block = arena.allocate(64 * (1 + i % 40));
    uint64_t position = arena.position(block);
    ASSERT_NE(position, Arena::kNowhere);
    EXPECT_TRUE(i == 0 || position > last);
    EXPECT_EQ(arena.position(block + 63), position + 63);
    last = position;
  }
  char *block = arena.allocate(64);
  arena.reset();
  EXPECT_EQ(arena.position(block), Arena::kNowhere);
}

TEST(Arena, LimitAndImpossibleSizes) {
  char *cursor, *end;
  Arena arena(cursor, end, 10000, false, 4096);
  EXPECT_EQ(arena.allocate(size_t(1) << 62), nullptr);
  EXPECT_EQ(arena.allocate(10001), nullptr);
  EXPECT_NE(arena.allocate(4096), nullptr);
  EXPECT_EQ(arena.allocate(8192), nullptr);

  Arena unlimited(cursor, end, 0, false);
  EXPECT_EQ(unlimited.allocate(~size_t(0)), nullptr);
  EXPECT_EQ(unlimited.allocate(size_t(1) << 62), nullptr);
}

TEST(Arena, Poison) {
  char *cursor, *end;
  Arena arena(cursor, end, 0, true, 4096);
  char *block = arena.allocate(128);
  EXPECT_EQ(static_cast<unsigned char>(block[127]), 0xff);
  block[5] = 1;
  arena.reset();
  EXPECT_EQ(static_cast<unsigned char>(arena.allocate(128)[5]), 0xff);
}

TEST(Arena, TakesWhatItsSourceHas) {
  // Gives out addresses alone, up to 100 KiB.
  class Source final : public MemorySource {
  public:
    class Block final : public MemoryBlock {
    public:
      Block(char *data, size_t bytes) : MemoryBlock(data, bytes) {}
      void poison(size_t count) override { poisoned = count; }
      size_t poisoned = 0;
    };
    std::unique_ptr<MemoryBlock> allocate(size_t bytes) override {
      if (bytes > left)
        return nullptr;
      left -= bytes;
      auto block =
          std::make_unique<Block>(reinterpret_cast<char *>(next), bytes);
      next += 2 * bytes;
      last = block.get();
      return block;
    }
    const std::string &failure() const override { return text; }

    size_t left = 100 * 1024;
    uintptr_t next = uintptr_t(1) << 46;
    Block *last = nullptr;
    std::string text = "no more";
  } source;
  char *cursor, *end;
  Arena arena(cursor, end, 0, true, 4096, source);
  size_t bytes = 0;
  while (char *block = arena.allocate(64)) {
    EXPECT_EQ(arena.position(block), bytes);
    bytes += 64;
  }
  // Steps are 4, 8, 16, 32 KiB; then 64 would be too much.
  EXPECT_EQ(bytes, size_t(100 * 1024));
  EXPECT_EQ(arena.memory().failure(), "no more");
  EXPECT_EQ(source.last->poisoned, source.last->size());
}
