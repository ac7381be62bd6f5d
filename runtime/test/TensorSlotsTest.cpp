//===- TensorSlotsTest.cpp - Finding tensors in values ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/TensorSlots.h"

#include <gtest/gtest.h>
#include <string>

using namespace dynbatch::rt;

namespace {

/// Two mutually recursive ADTs with a tensor at their end, one without.
const char *kDescriptor = R"({
  "name": "m",
  "entry": {"name": "main",
    "inputs": [{"kind": "adt", "name": "Even"}, {"kind": "adt", "name": "Bare"},
               {"kind": "seq", "element": {"kind": "seq", "element":
                 {"kind": "tensor", "dtype": "i8", "shape": []}}}],
    "results": [{"kind": "seq", "element": {"kind": "adt", "name": "Bare"}},
                {"kind": "scalar", "dtype": "f32"}]},
  "adts": [
    {"name": "Even", "ctors": [
      {"name": "More", "fields": [{"kind": "scalar", "dtype": "i64"},
                                  {"kind": "adt", "name": "Odd"}]}]},
    {"name": "Odd", "ctors": [
      {"name": "None", "fields": []},
      {"name": "More", "fields": [{"kind": "adt", "name": "Even"}]},
      {"name": "End", "fields": [{"kind": "adt", "name": "Bare"},
        {"kind": "tensor", "dtype": "f32", "shape": [2]}]}]},
    {"name": "Bare", "ctors": [
      {"name": "B", "fields": [{"kind": "adt", "name": "Bare"}]}]}],
  "params": [], "kernels": [], "stages": []
})";

int64_t address(void *cell) { return reinterpret_cast<int64_t>(cell); }

} // namespace

TEST(TensorSlots, KnowsWhichTypesHaveSome) {
  auto descriptor = ModuleDescriptor::parse(kDescriptor);
  ASSERT_TRUE(descriptor.ok()) << descriptor.message();
  TensorSlots slots(*descriptor);
  EXPECT_TRUE(slots.in(descriptor->inputs.types[0]));
  EXPECT_FALSE(slots.in(descriptor->inputs.types[1]));
  EXPECT_TRUE(slots.in(descriptor->inputs.types[2]));
  EXPECT_TRUE(slots.in(descriptor->inputs));
  EXPECT_FALSE(slots.in(descriptor->results));
}

TEST(TensorSlots, WalksAndReplacesCells) {
  auto descriptor = ModuleDescriptor::parse(kDescriptor);
  ASSERT_TRUE(descriptor.ok()) << descriptor.message();
  TensorSlots slots(*descriptor);
  // (More 5 (End <never looked at> T)), <the same>, [[] [T T]].
  int64_t end[] = {2, 1, 100, 0};
  int64_t more[] = {0, 5, address(end)};
  int64_t empty[] = {0};
  int64_t two[] = {2, 200, 0, 300, 0};
  int64_t outer[] = {2, address(empty), address(two)};
  int64_t arguments[] = {address(more), 1, address(outer)};
  int64_t copies[5][5];
  int next = 0;
  std::vector<size_t> sizes;
  std::vector<int64_t> tensors;
  std::vector<std::string> types;
  slots.walk(
      descriptor->inputs, reinterpret_cast<char *>(arguments),
      [&](const Type &type, char *slot) {
        types.push_back(type.str());
        std::memcpy(&tensors.emplace_back(), slot, sizeof(int64_t));
        std::memset(slot, 0, sizeof(int64_t));
      },
      [&](char *cell, size_t bytes) {
        sizes.push_back(bytes);
        std::memcpy(copies[next], cell, bytes);
        return reinterpret_cast<char *>(copies[next++]);
      });
  EXPECT_EQ(sizes, (std::vector<size_t>{24, 32, 24, 8, 40}));
  EXPECT_EQ(tensors, (std::vector<int64_t>{100, 200, 300}));
  EXPECT_EQ(types, (std::vector<std::string>{"tensor<2xf32>", "tensor<i8>",
                                             "tensor<i8>"}));
  EXPECT_EQ(arguments[0], address(copies[0]));
  EXPECT_EQ(copies[0][2], address(copies[1]));
  EXPECT_EQ(copies[1][2], 0);
  // The originals are as they were.
  EXPECT_EQ(end[2], 100);
  EXPECT_EQ(outer[2], address(two));

  // Null goes on behind the cell.
  arguments[0] = address(more);
  size_t cells = 0;
  slots.walk(
      descriptor->inputs, reinterpret_cast<char *>(arguments),
      [&](const Type &, char *) { FAIL(); },
      [&](char *, size_t) -> char * { return ++cells, nullptr; });
  EXPECT_EQ(cells, 2u);
  EXPECT_EQ(arguments[0], address(more));
}
