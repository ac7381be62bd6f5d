//===- SmallFloatTest.cpp - f16 and bf16 ------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/SmallFloat.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace dynbatch::rt;

TEST(SmallFloat, EveryValueSurvives) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = fromF16(bits), brain = fromBF16(bits);
    if (!std::isnan(half)) {
      ASSERT_EQ(toF16(half), bits);
    }
    if (!std::isnan(brain)) {
      ASSERT_EQ(toBF16(brain), bits);
      uint32_t word = bits << 16;
      ASSERT_EQ(std::memcmp(&word, &brain, sizeof(word)), 0);
    }
  }
}

TEST(SmallFloat, RoundsToNearestEven) {
  EXPECT_EQ(toF16(1.0), 0x3c00);
  EXPECT_EQ(toF16(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(toF16(1 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(toF16(1 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(toF16(65504), 0x7bff);
  EXPECT_EQ(toF16(65519.9), 0x7bff);
  EXPECT_EQ(toF16(65520), 0x7c00);
  EXPECT_EQ(toF16(-1e300), 0xfc00);
  EXPECT_EQ(toF16(0x1p-25), 0x0000);
  EXPECT_EQ(toF16(0x1.8p-25), 0x0001);
  EXPECT_EQ(toF16(-0.0), 0x8000);
  EXPECT_TRUE(std::isnan(fromF16(toF16(NAN))));
  EXPECT_EQ(toBF16(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(toBF16(1 + 3 * 0x1p-8), 0x3f82);
  EXPECT_TRUE(std::isinf(fromBF16(toBF16(3.4e38 * 2))));
}
