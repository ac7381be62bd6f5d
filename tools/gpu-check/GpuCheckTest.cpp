//===- GpuCheckTest.cpp - Tests of the GPU check's parts --------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Manifest.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace dynbatch::gpucheck;
using namespace dynbatch::rt;

TEST(Compare, FindsTheLargestDifference) {
  Difference difference = compare("[1 2.5] 3\n[100]\n", "[1 2] 3\n[101]\n");
  EXPECT_EQ(difference.problem, "");
  EXPECT_DOUBLE_EQ(difference.largest, 0.25);
}

TEST(Compare, TakesSmallNumbersAsTheyAre) {
  EXPECT_DOUBLE_EQ(compare("1e-6", "0").largest, 1e-6);
  EXPECT_DOUBLE_EQ(compare("200", "100").largest, 1);
}

TEST(Compare, KnowsWhatIsNoNumber) {
  EXPECT_EQ(compare("(Node 1)\n", "(Node 1)\n").problem, "");
  EXPECT_EQ(compare("1\n(Node 1)\n", "1\n(Leaf 1)\n").problem,
            "line 2 differs");
  EXPECT_EQ(compare("nan\n", "1\n").problem, "line 1 differs");
}

TEST(Compare, KnowsHowMuchThereIs) {
  EXPECT_EQ(compare("", "").problem, "");
  EXPECT_EQ(compare("1\n", "1\n2\n").problem, "line 2 differs");
  EXPECT_EQ(compare("1 2\n", "1\n").problem, "line 1 differs");
  EXPECT_EQ(compare("[1]\n", "[1 2]\n").problem, "line 1 differs");
}

static Result<Manifest> read(const char *text) {
  // Tests may run side by side.
  const testing::TestInfo *test =
      testing::UnitTest::GetInstance()->current_test_info();
  std::string path = testing::TempDir() + "/" + test->name() + ".manifest";
  std::ofstream(path) << text;
  return Manifest::read(path);
}

TEST(Manifest, HasChecksAndTimes) {
  Result<Manifest> manifest = read("# comment\n"
                                   "check a a.so a.txt random:1 a.results\n\n"
                                   "time b 8 tokens:4:2:3 random:2 "
                                   "x=b.so,static y=c.so,agenda\n");
  ASSERT_TRUE(manifest.ok()) << manifest.message();
  ASSERT_EQ(manifest->checks.size(), 1u);
  EXPECT_EQ(manifest->checks[0].library, testing::TempDir() + "/a.so");
  EXPECT_EQ(manifest->checks[0].parameters, "random:1");
  ASSERT_EQ(manifest->timings.size(), 1u);
  EXPECT_EQ(manifest->timings[0].batch, 8u);
  EXPECT_EQ(manifest->timings[0].instances, "tokens:4:2:3");
  ASSERT_EQ(manifest->timings[0].variants.size(), 2u);
  EXPECT_EQ(manifest->timings[0].variants[1].label, "y");
  EXPECT_EQ(manifest->timings[0].variants[1].library,
            testing::TempDir() + "/c.so");
  EXPECT_EQ(manifest->timings[0].variants[1].schedule, Schedule::Agenda);
}

TEST(Manifest, NamesTheLineThatItCannotRead) {
  for (const char *line :
       {"check a b c d\n", "check a b c d e f\n", "time a 0 b c x=y,static\n",
        "time a 8 b c\n", "time a 8 b c x=y,never\n", "time a 8 b c y,static\n",
        "measure\n"}) {
    Result<Manifest> manifest = read(line);
    ASSERT_FALSE(manifest.ok()) << line;
    EXPECT_NE(manifest.message().find(".manifest:1: not a check and not a time"),
              std::string::npos)
        << manifest.message();
  }
  EXPECT_FALSE(Manifest::read("/nowhere/manifest").ok());
}
