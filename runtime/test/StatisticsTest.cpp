//===- StatisticsTest.cpp - Counts, tables, traces --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;
using nlohmann::json;

namespace {

std::unique_ptr<Program> observedRun(size_t copies) {
  ProgramOptions options;
  options.stats = options.trace = true;
  std::unique_ptr<Program> program = makeProgram(treeModule(), options);
  std::string text;
  for (size_t i = 0; i < copies; ++i)
    text += "(Wrap (Node (Leaf 1) (Leaf 2)))\n";
  InstanceSet instances = readInstances(treeModule(), text);
  EXPECT_TRUE(runAll(*program, instances, copies).ok());
  EXPECT_TRUE(runAll(*program, instances, copies).ok());
  return program;
}

} // namespace

TEST(Statistics, Json) {
  std::unique_ptr<Program> program = observedRun(12);
  std::ostringstream out;
  program->statistics().printJson(out);
  json stats = json::parse(out.str(), nullptr, false);
  ASSERT_FALSE(stats.is_discarded());
  EXPECT_EQ(stats["minibatches"], 2);
  EXPECT_EQ(stats["instances"], 24);
  EXPECT_EQ(stats["tasks"], 24 * 5);
  EXPECT_EQ(stats["batches"], 8);
  EXPECT_EQ(stats["lower_bound"], 8);
  EXPECT_EQ(stats["flushes"], 2);
  EXPECT_EQ(stats["arena_peak_bytes"], 12 * 5 * 64);
  EXPECT_GE(stats["mapped_bytes"].get<int64_t>(), 12 * 5 * 64);
  EXPECT_GE(stats["huge_page_bytes"].get<int64_t>(), 0);
  EXPECT_GT(stats["page_faults"].get<int64_t>(), 0);
  EXPECT_GE(stats["flush_overhead_seconds"].get<double>(), 0.0);
  ASSERT_EQ(stats["kernels"].size(), 4u);
  const json &embed = stats["kernels"][0];
  EXPECT_EQ(embed["name"], "embed");
  EXPECT_EQ(embed["tasks"], 48);
  EXPECT_EQ(embed["min_rows"], 24);
  EXPECT_EQ(embed["mean_rows"], 24.0);
  EXPECT_EQ(embed["big_tasks"], 48);
  EXPECT_EQ(embed["flops_per_task"], 8);
  EXPECT_GT(embed["gflops"].get<double>(), 0.0);

  EXPECT_EQ(program->lastStatistics().instances, 12);
  program->resetStatistics();
  EXPECT_EQ(program->statistics().tasks, 0);
}

// AddressSanitizer keeps freed memory, so that the heap takes new pages.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kAddressSanitizer = false;
#endif

TEST(Statistics, EqualMinibatchesMapNothingNew) {
  ProgramOptions options;
  options.stats = true;
  std::unique_ptr<Program> program = makeProgram(treeModule(), options);
  std::string text;
  // More tensors than the arena's first chunk has room for.
  constexpr size_t kCount = 20000;
  for (size_t i = 0; i < kCount; ++i)
    text += "(Wrap (Node (Leaf 1) (Leaf 2)))\n";
  InstanceSet instances = readInstances(treeModule(), text);
  auto run = [&] {
    Status status =
        program->run(instances, 0, kCount, [](const ResultView &) {});
    EXPECT_TRUE(status.ok()) << status.message();
    return program->lastStatistics();
  };
  Statistics first = run(), second = run(), third = run();
  EXPECT_EQ(first.arenaPeakBytes, int64_t(kCount) * 5 * 64);
  EXPECT_GE(first.mappedBytes, first.arenaPeakBytes);
  EXPECT_GT(first.pageFaults, 0);
  EXPECT_EQ(second.mappedBytes, first.mappedBytes);
  EXPECT_EQ(third.mappedBytes, first.mappedBytes);
  // The process may fault elsewhere, but not for each of thousands of pages.
  if (!kAddressSanitizer)
    EXPECT_LT(third.pageFaults, 16);
  EXPECT_EQ(program->statistics().pageFaults,
            first.pageFaults + second.pageFaults + third.pageFaults);
}

TEST(Statistics, SmallBatchesAreNotBig) {
  std::unique_ptr<Program> program = observedRun(11);
  const Statistics &stats = program->statistics();
  EXPECT_EQ(stats.kernels[0].bigTasks, 44);
  EXPECT_EQ(stats.kernels[1].bigTasks, 0);
  EXPECT_EQ(stats.kernels[1].tasks, 22);
}

TEST(Statistics, Table) {
  std::unique_ptr<Program> program = observedRun(2);
  std::ostringstream out;
  program->printStats(out);
  std::string text = out.str();
  EXPECT_NE(text.find("batches                      8   lower bound 8\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("combine       1        2       2"), std::string::npos)
      << text;
  for (const char *line : {"memory mapped", "page faults"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(Statistics, OffMeansZero) {
  std::unique_ptr<Program> program = makeProgram(treeModule());
  InstanceSet instances = readInstances(treeModule(), "(Leaf 1)");
  ASSERT_TRUE(runAll(*program, instances, 1).ok());
  EXPECT_EQ(program->statistics().minibatches, 0);
  EXPECT_EQ(program->statistics().tasks, 0);
}

TEST(Trace, IsJsonWithAllEvents) {
  std::unique_ptr<Program> program = observedRun(3);
  std::ostringstream out;
  program->writeTrace(out);
  json trace = json::parse(out.str(), nullptr, false);
  ASSERT_FALSE(trace.is_discarded()) << out.str();
  std::map<std::string, int> count;
  for (const json &event : trace["traceEvents"]) {
    ++count[event["name"].get<std::string>()];
    EXPECT_EQ(event["ph"], "X");
    EXPECT_GE(event["dur"].get<double>(), 0.0);
    if (event["name"] == "combine") {
      EXPECT_EQ(event["args"]["kernel"], "combine");
      EXPECT_EQ(event["args"]["stage"], 1);
      EXPECT_EQ(event["args"]["depth"], 1);
      EXPECT_EQ(event["args"]["tasks"], 3);
    }
  }
  EXPECT_EQ(count["minibatch"], 2);
  EXPECT_EQ(count["flush"], 2);
  EXPECT_EQ(count["prologue"], 1);
  EXPECT_EQ(count["host"], 2);
  EXPECT_EQ(count["embed"], 2);
  EXPECT_EQ(count["combine"], 2);
}

TEST(Trace, EmptyIsJson) {
  std::unique_ptr<Program> program = makeProgram(treeModule());
  std::ostringstream out;
  program->writeTrace(out);
  EXPECT_FALSE(json::parse(out.str(), nullptr, false).is_discarded());
}
