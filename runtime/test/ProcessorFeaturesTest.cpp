//===- ProcessorFeaturesTest.cpp - What the processor can run ---*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/ProcessorFeatures.h"

#include <gtest/gtest.h>

using namespace dynbatch::rt;

TEST(ProcessorFeatures, KnowsNothingOfOthers) {
  EXPECT_EQ(processorHas("beads"), std::nullopt);
  EXPECT_EQ(processorHas(""), std::nullopt);
}

#if defined(__x86_64__)

TEST(ProcessorFeatures, AgreesWithTheCompiler) {
#define CHECK_FEATURE(name)                                                    \
  EXPECT_EQ(processorHas(name),                                                \
            std::optional<bool>(__builtin_cpu_supports(name) != 0))            \
      << name
  CHECK_FEATURE("sse3");
  CHECK_FEATURE("ssse3");
  CHECK_FEATURE("sse4.1");
  CHECK_FEATURE("sse4.2");
  CHECK_FEATURE("sse4a");
  CHECK_FEATURE("popcnt");
  CHECK_FEATURE("aes");
  CHECK_FEATURE("pclmul");
  CHECK_FEATURE("avx");
  CHECK_FEATURE("avx2");
  CHECK_FEATURE("fma");
  CHECK_FEATURE("fma4");
  CHECK_FEATURE("xop");
  CHECK_FEATURE("bmi");
  CHECK_FEATURE("bmi2");
  CHECK_FEATURE("gfni");
  CHECK_FEATURE("vpclmulqdq");
  CHECK_FEATURE("avx512f");
  CHECK_FEATURE("avx512dq");
  CHECK_FEATURE("avx512cd");
  CHECK_FEATURE("avx512bw");
  CHECK_FEATURE("avx512vl");
  CHECK_FEATURE("avx512ifma");
  CHECK_FEATURE("avx512vbmi");
  CHECK_FEATURE("avx512vbmi2");
  CHECK_FEATURE("avx512vnni");
  CHECK_FEATURE("avx512bitalg");
  CHECK_FEATURE("avx512vpopcntdq");
#undef CHECK_FEATURE
}

#endif
