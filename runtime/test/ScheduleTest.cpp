//===- ScheduleTest.cpp - Stages, depths and flushes ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include <gtest/gtest.h>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

const std::vector<std::string> kTrees = {
    "(Leaf 3)",
    "(Node (Leaf 1) (Leaf 2))",
    "(Wrap (Node (Leaf 5) (Wrap (Leaf 7))))",
    "(Node (Node (Leaf 1) (Wrap (Wrap (Leaf 2)))) (Node (Leaf 3) (Leaf 4)))",
    "(Wrap (Leaf 9))",
    "(Node (Leaf 8) (Node (Leaf 8) (Node (Leaf 8) (Leaf 1))))"};

std::string joined(const std::vector<std::string> &trees) {
  std::string text;
  for (const std::string &tree : trees)
    text += tree + "\n";
  return text;
}

const KernelStatistics &kernel(const Statistics &stats, const char *name) {
  for (const KernelStatistics &entry : stats.kernels)
    if (entry.name == name)
      return entry;
  ADD_FAILURE() << "no kernel " << name;
  return stats.kernels[0];
}

void expectRight(const std::vector<std::string> &trees,
                 const ProgramOptions &options, size_t batchSize) {
  std::unique_ptr<Program> program = makeProgram(treeModule(), options);
  InstanceSet instances = readInstances(treeModule(), joined(trees));
  auto lines = runAll(*program, instances, batchSize);
  ASSERT_TRUE(lines.ok()) << lines.message();
  ASSERT_EQ(lines->size(), trees.size());
  for (size_t i = 0; i < trees.size(); ++i)
    EXPECT_EQ((*lines)[i], expectedTreeResult(trees[i])) << trees[i];
}

ProgramOptions verified() {
  ProgramOptions options;
  options.stats = options.verifySchedule = true;
  return options;
}

} // namespace

TEST(Schedule, TreesOfAnyBatchSize) {
  for (size_t batchSize : {1, 2, 4, 6, 100}) {
    expectRight(kTrees, {}, batchSize);
    expectRight(kTrees, verified(), batchSize);
  }
}

TEST(Schedule, BatchesMeetTheLowerBoundWhereKernelsDoNotAlternate) {
  std::unique_ptr<Program> program = makeProgram(treeModule(), verified());
  InstanceSet instances =
      readInstances(treeModule(), "(Node (Node (Leaf 1) (Leaf 2)) (Leaf 3))\n"
                                  "(Leaf 4)\n(Node (Leaf 5) (Leaf 6))\n");
  ASSERT_TRUE(runAll(*program, instances, 3).ok());
  const Statistics &stats = program->statistics();
  EXPECT_EQ(stats.minibatches, 1);
  EXPECT_EQ(stats.instances, 3);
  EXPECT_EQ(stats.flushes, 1);
  EXPECT_EQ(stats.tasks, 6 + 3 + 3);
  EXPECT_EQ(kernel(stats, "embed").batches, 1);
  EXPECT_EQ(kernel(stats, "embed").maxRows, 6);
  EXPECT_EQ(kernel(stats, "combine").batches, 2);
  EXPECT_EQ(kernel(stats, "combine").minRows, 1);
  EXPECT_EQ(kernel(stats, "combine").maxRows, 2);
  EXPECT_EQ(kernel(stats, "wrap").batches, 0);
  EXPECT_EQ(kernel(stats, "classify").batches, 1);
  EXPECT_EQ(stats.batches, 4);
  EXPECT_EQ(stats.lowerBound, 4);
  EXPECT_EQ(stats.arenaPeakBytes, 12 * 64);
}

TEST(Schedule, LowerBoundCountsTheTasksOfOneKernelOnAPath) {
  std::unique_ptr<Program> program = makeProgram(treeModule(), verified());
  // combine-wrap-combine and wrap-combine-wrap: two of each on a path, but
  // three depths with both kernels in two of them.
  InstanceSet instances = readInstances(
      treeModule(), "(Node (Wrap (Node (Leaf 1) (Leaf 2))) (Leaf 3))\n"
                    "(Wrap (Node (Wrap (Leaf 1)) (Leaf 3)))\n");
  ASSERT_TRUE(runAll(*program, instances, 2).ok());
  const Statistics &stats = program->statistics();
  EXPECT_EQ(kernel(stats, "combine").lowerBound, 2);
  EXPECT_EQ(kernel(stats, "wrap").lowerBound, 2);
  EXPECT_EQ(stats.lowerBound, 6);
  EXPECT_EQ(kernel(stats, "combine").batches, 3);
  EXPECT_EQ(kernel(stats, "wrap").batches, 3);
}

TEST(Schedule, RoundsMeetTheLowerBoundWhereKernelsAlternate) {
  std::unique_ptr<Program> program = makeProgram(roundsModule(), verified());
  // The trees of the test above: wrap has one batch in round 0, before the
  // first combine, and one in round 1.
  InstanceSet instances = readInstances(
      roundsModule(), "(Node (Wrap (Node (Leaf 1) (Leaf 2))) (Leaf 3))\n"
                      "(Wrap (Node (Wrap (Leaf 1)) (Leaf 3)))\n");
  ASSERT_TRUE(runAll(*program, instances, 2).ok());
  const Statistics &stats = program->statistics();
  EXPECT_EQ(kernel(stats, "combine").batches, 2);
  EXPECT_EQ(kernel(stats, "wrap").batches, 2);
  EXPECT_EQ(stats.batches, stats.lowerBound);
}

TEST(Schedule, TasksWaitForTheNextRoundWhereThatSavesABatch) {
  // A wrap with nothing before it, and one behind a combine. Nothing needs the
  // first one in round 1, so both are one batch.
  std::vector<std::string> trees = {"(Wrap (Leaf 1))",
                                    "(Wrap (Node (Leaf 1) (Leaf 2)))"};
  std::unique_ptr<Program> program = makeProgram(roundsModule(), verified());
  InstanceSet instances = readInstances(roundsModule(), joined(trees));
  auto lines = runAll(*program, instances, 2);
  ASSERT_TRUE(lines.ok()) << lines.message();
  for (size_t i = 0; i < trees.size(); ++i)
    EXPECT_EQ((*lines)[i], expectedTreeResult(trees[i]));
  EXPECT_EQ(kernel(program->statistics(), "wrap").batches, 1);

  // Here a combine of round 1 needs it, directly or behind another one.
  for (const char *tree : {"(Node (Wrap (Leaf 1)) (Leaf 2))",
                           "(Node (Wrap (Wrap (Leaf 1))) (Leaf 2))"}) {
    trees.push_back(tree);
    program = makeProgram(roundsModule(), verified());
    instances = readInstances(roundsModule(), joined(trees));
    lines = runAll(*program, instances, trees.size());
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ(lines->back(), expectedTreeResult(tree));
    EXPECT_GE(kernel(program->statistics(), "wrap").batches, 2);
  }
}

TEST(Schedule, ManyStepsInOneRoundSpillIntoTheNext) {
  // More wraps in a row than a depth has steps, then rounds behind them.
  std::string chain = "(Leaf 1)";
  for (int i = 0; i < 5000; ++i)
    chain = "(Wrap " + chain + ")";
  std::vector<std::string> trees = {"(Node " + chain + " (Leaf 2))", chain,
                                    "(Wrap (Node (Leaf 3) (Leaf 4)))"};
  std::unique_ptr<Program> program = makeProgram(roundsModule(), verified());
  InstanceSet instances = readInstances(roundsModule(), joined(trees));
  for (int repeat = 0; repeat < 2; ++repeat) {
    auto lines = runAll(*program, instances, 3);
    ASSERT_TRUE(lines.ok()) << lines.message();
    for (size_t i = 0; i < trees.size(); ++i)
      EXPECT_EQ((*lines)[i], expectedTreeResult(trees[i]));
  }
}

TEST(Schedule, RoundsWithDynamicSchedules) {
  for (Schedule schedule : {Schedule::Depth, Schedule::Agenda}) {
    ProgramOptions options = verified();
    options.schedule = schedule;
    std::unique_ptr<Program> program = makeProgram(roundsModule(), options);
    InstanceSet instances = readInstances(roundsModule(), joined(kTrees));
    auto lines = runAll(*program, instances, kTrees.size());
    ASSERT_TRUE(lines.ok()) << lines.message();
    for (size_t i = 0; i < kTrees.size(); ++i)
      EXPECT_EQ((*lines)[i], expectedTreeResult(kTrees[i]));
  }
}

TEST(Schedule, ForcedReadsFlushAndChainsGoOn) {
  std::vector<std::string> trees = {
      "(Node (Node (Leaf 1) (Leaf 1000)) (Leaf 1001))", "(Leaf 2000)",
      "(Node (Node (Wrap (Leaf 1)) (Leaf 2)) (Leaf 1002))"};
  expectRight(trees, verified(), 3);

  std::unique_ptr<Program> program = makeProgram(treeModule(), verified());
  InstanceSet instances = readInstances(
      treeModule(),
      "(Node (Node (Node (Leaf 1) (Leaf 2)) (Leaf 1000)) (Leaf 3))\n");
  ASSERT_TRUE(runAll(*program, instances, 1).ok());
  const Statistics &stats = program->statistics();
  EXPECT_EQ(stats.flushes, 2);
  EXPECT_EQ(kernel(stats, "combine").batches, 3);
  EXPECT_EQ(kernel(stats, "combine").lowerBound, 3);
}

TEST(Schedule, ForcedReadsInManyMinibatches) {
  std::unique_ptr<Program> program = makeProgram(treeModule());
  std::string tree = "(Node (Leaf 1000) (Node (Leaf 1001) (Leaf 1)))";
  InstanceSet instances = readInstances(treeModule(), joined({tree, tree}));
  for (int i = 0; i < 100; ++i) {
    auto lines = runAll(*program, instances, 2);
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ((*lines)[1], expectedTreeResult(tree));
  }
}

TEST(Schedule, DeepTreesAndShallowOnesAfterwards) {
#if defined(__has_feature) && __has_feature(thread_sanitizer)
  size_t levels = 5000; // ThreadSanitizer's own stack of calls is small
#else
  size_t levels = 100000;
#endif
  expectRight({kTrees[3]}, {}, 1);
  std::unique_ptr<Program> program = makeProgram(treeModule());
  InstanceSet deep = readInstances(treeModule(), deepTree(levels));
  InstanceSet shallow = readInstances(treeModule(), kTrees[3]);
  for (int i = 0; i < 2; ++i) {
    auto lines = runAll(*program, deep, 1);
    ASSERT_TRUE(lines.ok()) << lines.message();
    lines = runAll(*program, shallow, 1);
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ((*lines)[0], expectedTreeResult(kTrees[3]));
  }
}

TEST(Schedule, ThreadsDoNotChangeResults) {
  std::vector<std::string> trees;
  for (int i = 0; i < 300; ++i)
    trees.push_back("(Node (Node (Leaf " + std::to_string(i) + ") " +
                    kTrees[i % kTrees.size()] + ") (Leaf 4))");
  ProgramOptions options;
  options.threads = 3;
  options.grainFlops = 0;
  expectRight(trees, options, 300);
  expectRight(trees, options, 17);
}

TEST(Verify, FindsAWrongDepth) {
  std::unique_ptr<Program> program =
      makeProgram(wrongDepthModule(), verified());
  auto message = [&](const char *text) {
    InstanceSet instances = readInstances(wrongDepthModule(), text);
    return runAll(*program, instances, 3).message();
  };
  EXPECT_EQ(message("(Leaf 1)\n(Wrap (Wrap (Leaf 2)))\n(Wrap (Leaf 3))\n"),
            "instance 1: internal error: kernel 'wrap' (stage 1, depth 1) runs "
            "before kernel 'wrap' (stage 1, depth 1), which makes its operand "
            "0 (trees.txt:2)");
  EXPECT_EQ(message("(Wrap (Leaf 2))\n(Wrap (Leaf 3))\n"), "");
}

TEST(Verify, FindsAWrongDepthBetweenReads) {
  std::unique_ptr<Program> program =
      makeProgram(wrongDepthModule(), verified());
  auto message = [&](const char *text) {
    InstanceSet instances = readInstances(wrongDepthModule(), text);
    return runAll(*program, instances, 3).message();
  };
  // In the first flush all is right, in the second one instance 2 is wrong:
  // its fiber went on behind that of instance 1.
  EXPECT_EQ(message("(Leaf 1)\n(Node (Leaf 1000) (Wrap (Leaf 1001)))\n"
                    "(Node (Wrap (Leaf 1002)) (Wrap (Wrap (Leaf 2))))\n"),
            "instance 2: internal error: kernel 'wrap' (stage 1, depth 1) runs "
            "before kernel 'wrap' (stage 1, depth 1), which makes its operand "
            "0 (trees.txt:3)");
  // The same depth in another epoch is right.
  EXPECT_EQ(message("(Node (Wrap (Leaf 1)) (Wrap (Leaf 1000)))\n"), "");
}

TEST(Verify, FindsAWrongStage) {
  std::unique_ptr<Program> program =
      makeProgram(wrongStageModule(), verified());
  auto message = [&](const char *text) {
    InstanceSet instances = readInstances(wrongStageModule(), text);
    return runAll(*program, instances, 2).message();
  };
  EXPECT_EQ(message("(Leaf 7)\n"),
            "instance 0: internal error: kernel 'classify' (stage 0, depth 0) "
            "runs before kernel 'embed' (stage 2, depth 0), which makes its "
            "operand 0 (trees.txt:1)");
  // Two instances whose values are read have no mistake left.
  EXPECT_EQ(message("(Leaf 1000)\n(Leaf 1001)\n"), "");
  EXPECT_EQ(message("(Leaf 1000)\n(Node (Leaf 1002) (Leaf 3))\n"),
            "instance 1: internal error: kernel 'classify' (stage 0, depth 0) "
            "runs before kernel 'combine' (stage 1, depth 1), which makes its "
            "operand 0 (trees.txt:2)");
}
