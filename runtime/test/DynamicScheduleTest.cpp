//===- DynamicScheduleTest.cpp - Schedulers for comparison ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestContext.h"

#include <gtest/gtest.h>
#include <random>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

constexpr Schedule kAll[] = {Schedule::Static, Schedule::Depth,
                             Schedule::Agenda};

ProgramOptions verified(Schedule schedule) {
  ProgramOptions options;
  options.stats = options.verifySchedule = true;
  options.schedule = schedule;
  return options;
}

std::string randomTree(std::mt19937 &random, int levels) {
  unsigned choice = random() % 5;
  if (levels == 0 || choice == 0)
    return "(Leaf " + std::to_string(random() % 1100) + ")";
  if (choice < 3)
    return "(Wrap " + randomTree(random, levels - 1) + ")";
  std::string left = randomTree(random, levels - 1);
  return "(Node " + left + " " + randomTree(random, levels - 1) + ")";
}

Statistics statisticsOf(Schedule schedule, const char *text) {
  std::unique_ptr<Program> program =
      makeProgram(treeModule(), verified(schedule));
  InstanceSet instances = readInstances(treeModule(), text);
  auto lines = runAll(*program, instances, instances.size());
  EXPECT_TRUE(lines.ok()) << lines.message();
  return program->statistics();
}

std::vector<int64_t> batchesOf(const Statistics &stats) {
  std::vector<int64_t> batches;
  for (const KernelStatistics &kernel : stats.kernels)
    batches.push_back(kernel.batches);
  return batches;
}

} // namespace

TEST(DynamicSchedule, SameResults) {
  std::mt19937 random(11);
  std::string text;
  for (int i = 0; i < 80; ++i)
    text += randomTree(random, 6) + "\n";
  for (const dynbatch_module *module :
       {&treeModule(), &parkingModule(), &spawningModule()}) {
    InstanceSet instances = readInstances(*module, text);
    for (size_t batchSize : {1, 9, 80}) {
      std::vector<std::string> expected;
      int64_t tasks = 0, lowerBound = 0;
      for (Schedule schedule : kAll) {
        std::unique_ptr<Program> program =
            makeProgram(*module, verified(schedule));
        auto lines = runAll(*program, instances, batchSize);
        ASSERT_TRUE(lines.ok()) << lines.message();
        const Statistics &stats = program->statistics();
        if (schedule == Schedule::Static) {
          expected = *lines;
          tasks = stats.tasks;
          lowerBound = stats.lowerBound;
        }
        // The printed floats read back as the same bits.
        EXPECT_EQ(*lines, expected);
        EXPECT_EQ(stats.tasks, tasks);
        EXPECT_EQ(stats.lowerBound, lowerBound);
        EXPECT_GE(stats.batches, lowerBound);
      }
    }
  }
}

TEST(DynamicSchedule, Batches) {
  const char *text = "(Node (Node (Leaf 1) (Leaf 2)) (Leaf 3))\n"
                     "(Leaf 4)\n(Node (Leaf 5) (Leaf 6))\n";
  using Counts = std::vector<int64_t>;
  EXPECT_EQ(batchesOf(statisticsOf(Schedule::Static, text)),
            (Counts{1, 2, 0, 1}));
  // The classifier stands at three depths.
  EXPECT_EQ(batchesOf(statisticsOf(Schedule::Depth, text)),
            (Counts{1, 2, 0, 3}));
  // It waits: its mean depth is the largest.
  Statistics stats = statisticsOf(Schedule::Agenda, text);
  EXPECT_EQ(batchesOf(stats), (Counts{1, 2, 0, 1}));
  EXPECT_EQ(stats.kernels[0].maxRows, 6);
  EXPECT_EQ(stats.kernels[3].minRows, 3);
}

TEST(DynamicSchedule, AgendaMayRunAKernelTooEarly) {
  // Depths of wrap: 2 and 3, of combine: 2, 2, 3, 4. So wrap comes first, with
  // one task, and again behind combine; the other order would need one batch.
  Statistics stats = statisticsOf(
      Schedule::Agenda,
      "(Wrap (Leaf 1))\n(Wrap (Node (Leaf 1) (Leaf 2)))\n"
      "(Node (Node (Node (Leaf 1) (Leaf 2)) (Leaf 3)) (Leaf 4))\n");
  EXPECT_EQ(batchesOf(stats), (std::vector<int64_t>{1, 3, 2, 1}));
}

TEST(DynamicSchedule, SeesTheGraphAndNotTheDepthsOfTheCompiler) {
  // The module gives all wraps depth 1; that is wrong for the static schedule.
  const char *text = "(Wrap (Wrap (Wrap (Leaf 3))))\n(Wrap (Leaf 2))\n";
  for (Schedule schedule : {Schedule::Depth, Schedule::Agenda}) {
    std::unique_ptr<Program> program =
        makeProgram(wrongDepthModule(), verified(schedule));
    auto lines = runAll(*program, readInstances(wrongDepthModule(), text), 2);
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ(lines->at(0),
              expectedTreeResult("(Wrap (Wrap (Wrap (Leaf 3))))"));
    EXPECT_EQ(program->statistics().kernels[2].batches, 3);
  }
}

TEST(DynamicSchedule, CyclesAreAnError) {
  for (Schedule schedule : {Schedule::Depth, Schedule::Agenda}) {
    Context::Options options;
    options.schedule = schedule;
    TestContext context(options);
    for (int i = 0; i < 2; ++i) {
      Status status = context.run([](dynbatch_context *ctx) {
        int64_t blocks[2];
        for (int64_t &block : blocks)
          block = reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, 64));
        for (int i = 0; i < 2; ++i) {
          int64_t *row = dynbatch_rt_reserve(ctx, 2, 1);
          row[0] = blocks[i];
          row[1] = blocks[1 - i];
        }
      });
      EXPECT_EQ(status.message(), "internal error: a task of kernel 'wrap' "
                                  "depends on itself");
    }
  }
}

TEST(DynamicSchedule, NothingPending) {
  for (Schedule schedule : kAll) {
    std::unique_ptr<Program> program =
        makeProgram(referenceModule(), verified(schedule));
    auto lines =
        runAll(*program, readInstances(referenceModule(), "[]\n[1]\n"), 2);
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ(lines->at(1), "[1 0 0 0]");
    EXPECT_EQ(program->statistics().flushes, 0);
  }
}
