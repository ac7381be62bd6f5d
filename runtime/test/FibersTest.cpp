//===- FibersTest.cpp - Forced reads and child fibers -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestContext.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DYNBATCH_TEST_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define DYNBATCH_TEST_ASAN 1
#endif
#endif

namespace {

/// ThreadSanitizer cannot have many fibers.
#ifdef DYNBATCH_TEST_TSAN
constexpr int64_t kMany = 500;
#else
constexpr int64_t kMany = 10000;
#endif

ProgramOptions verified() {
  ProgramOptions options;
  options.stats = options.verifySchedule = true;
  return options;
}

/// Statistics of one minibatch of all lines, which must come out right.
Statistics statisticsOf(const dynbatch_module &module,
                        const std::vector<std::string> &trees) {
  std::string text;
  for (const std::string &tree : trees)
    text += tree + "\n";
  std::unique_ptr<Program> program = makeProgram(module, verified());
  InstanceSet instances = readInstances(module, text);
  auto lines = runAll(*program, instances, trees.size());
  EXPECT_TRUE(lines.ok()) << lines.message();
  for (size_t i = 0; lines.ok() && i < trees.size(); ++i)
    EXPECT_EQ((*lines)[i], expectedTreeResult(trees[i])) << trees[i];
  return program->lastStatistics();
}

std::string randomTree(std::mt19937 &random, int levels) {
  unsigned choice = random() % 4;
  if (levels == 0 || choice == 0)
    return "(Leaf " + std::to_string(random() % 1300) + ")";
  if (choice == 1)
    return "(Wrap " + randomTree(random, levels - 1) + ")";
  std::string left = randomTree(random, levels - 1);
  return "(Node " + left + " " + randomTree(random, levels - 1) + ")";
}

/// A balanced tree whose leaves are all read.
std::string readTree(int levels) {
  if (levels == 0)
    return "(Leaf 1000)";
  return "(Node " + readTree(levels - 1) + " " + readTree(levels - 1) + ")";
}

void expectUsable(Program &program, const dynbatch_module &module) {
  std::string tree = "(Node (Leaf 1000) (Node (Leaf 1) (Leaf 1001)))";
  InstanceSet instances = readInstances(module, tree + "\n" + tree);
  auto lines = runAll(program, instances, 2);
  ASSERT_TRUE(lines.ok()) << lines.message();
  EXPECT_EQ(lines->at(0), expectedTreeResult(tree));
  EXPECT_EQ(lines->at(1), expectedTreeResult(tree));
}

/// One `wrap` task, so that a flush has something to run.
void enqueueTask(dynbatch_context *ctx) {
  int64_t *row = dynbatch_rt_reserve(ctx, 2, 1);
  row[0] = reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, 64));
  row[1] = reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, 64));
}

/// What happened in which order.
std::string events;
void note(dynbatch_context *ctx, const char *what) {
  events += std::to_string(ctx->instance) + what + " ";
}

/// The context is that of the running fiber.
void expectContextOf(dynbatch_context *ctx, int64_t instance) {
  EXPECT_EQ(ctx->instance, instance);
  auto *here = static_cast<char *>(__builtin_frame_address(0));
  EXPECT_GT(here, ctx->stack_limit);
  EXPECT_LT(here, ctx->stack_limit + Context::Options().fiberStackBytes);
}

} // namespace

TEST(Fibers, RandomTreesOfAnyBatchSize) {
  std::mt19937 random(7);
  std::vector<std::string> trees;
  std::string text;
  for (int i = 0; i < 60; ++i) {
    trees.push_back(randomTree(random, 5));
    text += trees.back() + "\n";
  }
  for (const dynbatch_module *module :
       {&parkingModule(), &spawningModule(), &spawningModuleWithoutFibers()}) {
    for (size_t batchSize : {1, 3, 60}) {
      std::unique_ptr<Program> program = makeProgram(*module, verified());
      InstanceSet instances = readInstances(*module, text);
      for (int i = 0; i < 2; ++i) {
        auto lines = runAll(*program, instances, batchSize);
        ASSERT_TRUE(lines.ok()) << lines.message();
        for (size_t t = 0; t < trees.size(); ++t)
          EXPECT_EQ((*lines)[t], expectedTreeResult(trees[t])) << trees[t];
      }
    }
  }
}

TEST(Fibers, FlushesAreTheLongestChainOfReads) {
  std::vector<std::string> trees = {
      "(Leaf 1)", "(Leaf 1000)",
      "(Node (Node (Leaf 1000) (Leaf 1001)) (Leaf 1002))",
      "(Node (Leaf 1) (Node (Leaf 1001) (Leaf 1002)))", "(Wrap (Leaf 1005))"};
  // One more than the chain: for what comes behind the last read.
  Statistics stats = statisticsOf(parkingModule(), trees);
  EXPECT_EQ(stats.flushes, 3 + 1);
  EXPECT_EQ(stats.fiberPeak, 4); // the first one does not wait
  // Reads of independent trees are no chain.
  stats = statisticsOf(spawningModule(), trees);
  EXPECT_EQ(stats.flushes, 1 + 1);
  // Without fibers each read is a flush.
  stats = statisticsOf(treeModule(), trees);
  EXPECT_EQ(stats.flushes, 7 + 1);
  EXPECT_EQ(stats.fiberPeak, 0);
}

TEST(Fibers, ChildrenOfManyLevels) {
  std::string tree = readTree(6);
  Statistics stats = statisticsOf(spawningModule(), {tree, tree});
  EXPECT_EQ(stats.flushes, 2);
  EXPECT_EQ(stats.fiberPeak, 2 * 127);
  EXPECT_EQ(stats.kernels[0].batches, 1);
  EXPECT_EQ(stats.kernels[0].maxRows, 128);
  stats = statisticsOf(parkingModule(), {tree, tree});
  EXPECT_EQ(stats.flushes, 65);
}

TEST(Fibers, InstancesThatDoNotWaitShareAStack) {
  std::vector<std::string> trees(100, "(Node (Leaf 1) (Leaf 2))");
  EXPECT_EQ(statisticsOf(parkingModule(), trees).fiberPeak, 1);
  // One more for a child.
  EXPECT_EQ(statisticsOf(spawningModule(), trees).fiberPeak, 2);
}

TEST(Fibers, ManyInstancesAtOnce) {
  std::string text;
  for (int64_t i = 0; i < kMany; ++i)
    text += "(Wrap (Leaf " + std::to_string(1000 + i) + "))\n";
  ProgramOptions options;
  options.stats = true;
  std::unique_ptr<Program> program = makeProgram(parkingModule(), options);
  InstanceSet instances = readInstances(parkingModule(), text);
  int64_t reserved = 0;
  for (int i = 0; i < 3; ++i) {
    auto lines = runAll(*program, instances, kMany);
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ(lines->at(kMany - 1),
              expectedTreeResult("(Wrap (Leaf " +
                                 std::to_string(1000 + kMany - 1) + "))"));
    const Statistics &stats = program->lastStatistics();
    EXPECT_EQ(stats.flushes, 2);
    EXPECT_EQ(stats.fiberPeak, kMany);
    EXPECT_LE(stats.fiberReservedBytes, int64_t(2) << 30);
    EXPECT_GE(stats.fiberResidentBytes, kMany * 4096);
    EXPECT_LE(stats.fiberResidentBytes, stats.fiberReservedBytes);
    if (i > 0)
      EXPECT_EQ(stats.fiberReservedBytes, reserved);
    reserved = stats.fiberReservedBytes;
  }
}

// The sanitizers' runtimes do not survive that there are no more mappings.
#if !defined(DYNBATCH_TEST_ASAN) && !defined(DYNBATCH_TEST_TSAN)
TEST(Fibers, MoreStacksThanTheSystemHas) {
  constexpr int64_t kCount = 40000;
  int64_t mappings = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
  if (mappings == 0 || mappings > 2 * kCount)
    GTEST_SKIP() << "the system allows " << mappings << " mappings";
  std::string text;
  for (int64_t i = 0; i < kCount; ++i)
    text += "(Leaf 1000)\n";
  ProgramOptions options;
  options.fiberStackBytes = 64 << 10;
  std::unique_ptr<Program> program = makeProgram(parkingModule(), options);
  InstanceSet instances = readInstances(parkingModule(), text);
  for (int i = 0; i < 2; ++i) {
    std::string message = runAll(*program, instances, kCount).message();
    EXPECT_NE(message.find(": cannot reserve more fiber stacks: "),
              std::string::npos)
        << message;
    EXPECT_NE(message.find("max_map_count"), std::string::npos) << message;
    expectUsable(*program, parkingModule());
  }
}
#endif

TEST(Fibers, RunInOrder) {
  events.clear();
  Status status =
      TestContext().runOnFibers(3, [](dynbatch_context *ctx, char *) {
        note(ctx, "a");
        enqueueTask(ctx);
        dynbatch_rt_flush(ctx);
        note(ctx, "b");
        if (ctx->instance == 1)
          return;
        enqueueTask(ctx);
        dynbatch_rt_flush(ctx);
        note(ctx, "c");
      });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(events, "0a 1a 2a 0b 1b 2b 0c 2c ");
}

TEST(Fibers, ContextIsThatOfTheRunningFiber) {
  static int64_t flushes;
  flushes = 0;
  Status status =
      TestContext().runOnFibers(20, [](dynbatch_context *ctx, char *) {
        int64_t instance = ctx->instance;
        char *limit = ctx->stack_limit;
        expectContextOf(ctx, instance);
        struct Frame {
          int64_t instance;
          bool wait;
        } frames[2] = {{instance, true}, {instance, false}};
        void *handles[2];
        for (int i = 0; i < 2; ++i) {
          handles[i] = dynbatch_rt_spawn(
              ctx,
              [](dynbatch_context *ctx, char *frame) {
                auto &self = *reinterpret_cast<Frame *>(frame);
                expectContextOf(ctx, self.instance);
                if (self.wait) {
                  uint64_t epoch = ctx->epoch;
                  enqueueTask(ctx);
                  dynbatch_rt_flush(ctx);
                  EXPECT_EQ(ctx->epoch - epoch,
                            uint64_t(1) << DYNBATCH_STAMP_EPOCH_SHIFT);
                  ++flushes;
                }
                expectContextOf(ctx, self.instance);
              },
              reinterpret_cast<char *>(&frames[i]));
          EXPECT_EQ(ctx->stack_limit, limit);
          expectContextOf(ctx, instance);
        }
        EXPECT_NE(handles[0], nullptr);
        EXPECT_EQ(handles[1], nullptr);
        for (void *handle : handles) {
          dynbatch_rt_join(ctx, handle);
          EXPECT_EQ(ctx->stack_limit, limit);
          expectContextOf(ctx, instance);
        }
      });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(flushes, 20);
}

TEST(Fibers, JoinWaitsWithoutAFlush) {
  events.clear();
  Status status =
      TestContext().runOnFibers(2, [](dynbatch_context *ctx, char *) {
        void *first = dynbatch_rt_spawn(
            ctx,
            [](dynbatch_context *ctx, char *) {
              note(ctx, "first");
              enqueueTask(ctx);
              dynbatch_rt_flush(ctx);
              note(ctx, "first-read");
            },
            nullptr);
        void *second = dynbatch_rt_spawn(
            ctx,
            [](dynbatch_context *ctx, char *) {
              note(ctx, "second");
              dynbatch_rt_flush(ctx);
              note(ctx, "second-read");
              dynbatch_rt_flush(ctx);
              note(ctx, "second-read-again");
            },
            nullptr);
        note(ctx, "parent");
        dynbatch_rt_join(ctx, first);
        note(ctx, "joined-first");
        dynbatch_rt_join(ctx, second);
        note(ctx, "joined-second");
      });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(events, "0first 0second 0parent 1first 1second 1parent "
                    "0first-read 0second-read 1first-read 1second-read "
                    "0joined-first 1joined-first "
                    "0second-read-again 1second-read-again "
                    "0joined-second 1joined-second ");
}

TEST(Fibers, JoinOfAChildThatHasEnded) {
  events.clear();
  TestContext context;
  for (int i = 0; i < 2; ++i) {
    Status status = context.runOnFibers(1, [](dynbatch_context *ctx, char *) {
      void *child = dynbatch_rt_spawn(
          ctx,
          [](dynbatch_context *ctx, char *) {
            dynbatch_rt_flush(ctx);
            note(ctx, "child");
          },
          nullptr);
      dynbatch_rt_flush(ctx);
      note(ctx, "parent");
      dynbatch_rt_join(ctx, child);
      note(ctx, "joined");
    });
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(events, "0child 0parent 0joined 0child 0parent 0joined ");
}

namespace {

/// A chain of children, the last of which waits.
void chain(dynbatch_context *ctx, char *frame) {
  auto levels = reinterpret_cast<intptr_t>(frame);
  if (levels == 0) {
    enqueueTask(ctx);
    dynbatch_rt_flush(ctx);
    return;
  }
  void *child =
      dynbatch_rt_spawn(ctx, chain, reinterpret_cast<char *>(levels - 1));
  EXPECT_NE(child, nullptr);
  dynbatch_rt_join(ctx, child);
}

} // namespace

TEST(Fibers, DeepChainsOfChildren) {
  TestContext context;
  for (int i = 0; i < 2; ++i) {
    Status status =
        context.runOnFibers(2, chain, reinterpret_cast<char *>(kMany / 4));
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(context.context.takeFiberPeak(), size_t(2 * (kMany / 4 + 1)));
  }
}

TEST(Fibers, ErrorsAbandonAllFibers) {
  for (const dynbatch_module *module : {&parkingModule(), &spawningModule()}) {
    std::unique_ptr<Program> program = makeProgram(*module, verified());
    auto message = [&](const std::string &text) {
      InstanceSet instances = readInstances(*module, text);
      return runAll(*program, instances, instances.size()).message();
    };
    for (int i = 0; i < 3; ++i) {
      // At once, while others wait.
      EXPECT_EQ(message("(Leaf 1000)\n(Node (Leaf 1001) (Leaf 1002))\n"
                        "(Node (Wrap (Leaf -1)) (Leaf 1))\n(Leaf 1000)\n"),
                "instance 2: t.mlir:1:1: dynbatch.lookup: index -1 is out of "
                "bounds for size 1000 (trees.txt:3)");
      expectUsable(*program, *module);
      // Behind a read.
      EXPECT_EQ(message("(Leaf 1000)\n"
                        "(Node (Node (Leaf 1000) (Leaf -2000)) (Leaf 1))\n"
                        "(Node (Leaf 1001) (Leaf 1002))\n"),
                "instance 1: t.mlir:9:1: assertion failed: a small word "
                "(trees.txt:2)");
      expectUsable(*program, *module);
    }
    EXPECT_EQ(program->statistics().failedMinibatches, 6);
  }
}

TEST(Fibers, ErrorInAChildThatWaited) {
  for (int wait = 0; wait < 2; ++wait) {
    events.clear();
    TestContext context;
    Status status = context.runOnFibers(
        3,
        [](dynbatch_context *ctx, char *frame) {
          void *child = dynbatch_rt_spawn(
              ctx,
              [](dynbatch_context *ctx, char *frame) {
                enqueueTask(ctx);
                if (frame)
                  dynbatch_rt_flush(ctx);
                if (ctx->instance == 1)
                  dynbatch_rt_error(ctx, "one is wrong");
                note(ctx, "child");
              },
              frame);
          dynbatch_rt_join(ctx, child);
          note(ctx, "joined");
        },
        wait ? reinterpret_cast<char *>(8) : nullptr);
    EXPECT_EQ(status.message(), "one is wrong");
    EXPECT_EQ(context.context.instance, 1);
    EXPECT_EQ(events, wait ? "0child " : "0child 0joined ");
    EXPECT_TRUE(context
                    .runOnFibers(2, [](dynbatch_context *ctx,
                                       char *) { dynbatch_rt_flush(ctx); })
                    .ok());
  }
}

TEST(Fibers, ErrorInAFlushAbandonsTheFibers) {
  std::unique_ptr<Program> program =
      makeProgram(wrongDepthModule(), verified());
  InstanceSet wrong = readInstances(
      wrongDepthModule(), "(Leaf 1000)\n(Node (Wrap (Wrap (Leaf 1))) (Leaf "
                          "1000))\n(Leaf 1001)\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(runAll(*program, wrong, 3).message(),
              "instance 1: internal error: kernel 'wrap' (stage 1, depth 1) "
              "runs before kernel 'wrap' (stage 1, depth 1), which makes its "
              "operand 0 (trees.txt:2)");
    expectUsable(*program, wrongDepthModule());
  }
}

TEST(Fibers, StackOverflowIsAnError) {
  for (size_t bytes : {size_t(64) << 10, size_t(192) << 10}) {
    ProgramOptions options;
    options.fiberStackBytes = bytes;
    std::unique_ptr<Program> program = makeProgram(parkingModule(), options);
    InstanceSet instances = readInstances(
        parkingModule(), "(Leaf 1000)\n" + deepTree(30000) + "\n(Leaf 1)\n");
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(runAll(*program, instances, 3).message(),
                "instance 1: recursion too deep: the fiber stack of " +
                    std::to_string(bytes) + " bytes is used up (trees.txt:2)");
      expectUsable(*program, parkingModule());
    }
  }
}

TEST(Fibers, LargeStacksForDeepRecursion) {
#ifdef DYNBATCH_TEST_TSAN
  size_t levels = 5000; // ThreadSanitizer's own stack of calls is small
#else
  size_t levels = 100000;
#endif
  ProgramOptions options = verified();
  options.fiberStackBytes = size_t(256) << 20;
  std::unique_ptr<Program> program = makeProgram(parkingModule(), options);
  InstanceSet instances = readInstances(
      parkingModule(), "(Leaf 1000)\n" + deepTree(levels) + "\n(Leaf 1000)\n");
  auto lines = runAll(*program, instances, 3);
  ASSERT_TRUE(lines.ok()) << lines.message();
  EXPECT_EQ(lines->at(0), expectedTreeResult("(Leaf 1000)"));
}

TEST(Fibers, WaitingForEachOtherIsAnError) {
  TestContext context;
  static void *handle;
  Status status = context.runOnFibers(1, [](dynbatch_context *ctx, char *) {
    handle = dynbatch_rt_spawn(
        ctx,
        [](dynbatch_context *ctx, char *) {
          dynbatch_rt_flush(ctx);
          dynbatch_rt_join(ctx, handle);
        },
        nullptr);
    dynbatch_rt_join(ctx, handle);
  });
  EXPECT_EQ(status.message(), "internal error: 2 fibers wait for each other");
  EXPECT_TRUE(context.runOnFibers(1, chain, nullptr).ok());
}
