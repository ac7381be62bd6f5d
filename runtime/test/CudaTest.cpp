//===- CudaTest.cpp - Running programs on a GPU -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaModules.h"

#include <algorithm>
#include <sstream>
#include <thread>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

using Calls = std::vector<std::string>;

const char *kTrees = "(Node (Leaf 1) (Leaf 2))\n"
                     "(Wrap (Node (Leaf 3) (Wrap (Leaf 4))))\n"
                     "(Leaf 5)\n"
                     "(Node (Node (Leaf 6) (Leaf 7)) (Leaf 8))\n"
                     "(Wrap (Wrap (Wrap (Leaf 9))))\n";

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

void expectTrees(Program &program, const dynbatch_module &module,
                 const std::string &text, size_t batchSize) {
  InstanceSet instances = readInstances(module, text);
  auto results = runAll(program, instances, batchSize);
  ASSERT_TRUE(results.ok()) << results.message();
  std::vector<std::string> expected;
  for (const std::string &line : linesOf(text))
    expected.push_back(expectedTreeResult(line));
  EXPECT_EQ(*results, expected);
}

int64_t count(const Calls &calls, const std::string &name) {
  return std::count(calls.begin(), calls.end(), name);
}

} // namespace

TEST_F(CudaTest, ComputesWhatTheCpuDoes) {
  for (Schedule schedule :
       {Schedule::Static, Schedule::Depth, Schedule::Agenda})
    for (bool verify : {false, true})
      for (size_t batchSize : {1, 2, 5}) {
        ProgramOptions options;
        options.schedule = schedule;
        options.verifySchedule = options.stats = verify;
        auto program = tryProgram(cudaTreeModule(), options);
        ASSERT_TRUE(program.ok()) << program.message();
        expectTrees(**program, cudaTreeModule(), kTrees, batchSize);
        expectTrees(**program, cudaTreeModule(), kTrees, batchSize);
      }
}

TEST_F(CudaTest, AFlushIsOneUploadAndItsLaunches) {
  auto program = tryProgram(cudaTreeModule());
  ASSERT_TRUE(program.ok()) << program.message();
  // The first minibatch gets memory and loads code.
  expectTrees(**program, cudaTreeModule(), kTrees, 5);
  cuda.takeCalls();
  expectTrees(**program, cudaTreeModule(), kTrees, 5);
  EXPECT_EQ(cuda.takeCalls(),
            (Calls{"cuMemcpyHtoDAsync", "cuEventRecord", "cuLaunchKernel embed",
                   "cuLaunchKernel average", "cuLaunchKernel store", // depth 1
                   "cuLaunchKernel wrap", "cuLaunchKernel average",
                   "cuLaunchKernel store", // depth 2
                   "cuLaunchKernel wrap",
                   "cuLaunchKernel wrap", // depth 3
                   "cuLaunchKernel classify",
                   // The results.
                   "cuMemcpyHtoDAsync", "cuEventRecord",
                   "cuLaunchKernel dynbatch_gather", "cuMemcpyDtoHAsync",
                   "cuStreamSynchronize"}));
  // One result needs no gathering.
  expectTrees(**program, cudaTreeModule(), "(Leaf 1)", 1);
  EXPECT_EQ(cuda.takeCalls(),
            (Calls{"cuMemcpyHtoDAsync", "cuEventRecord", "cuLaunchKernel embed",
                   "cuLaunchKernel classify", "cuMemcpyDtoHAsync",
                   "cuStreamSynchronize"}));
}

TEST_F(CudaTest, ReadsOfAllInstancesAreOneGather) {
  auto program = tryProgram(cudaTreeModule());
  ASSERT_TRUE(program.ok()) << program.message();
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "(Node (Leaf " + std::to_string(1000 + i) + ") (Leaf " +
            std::to_string(2000 + i) + "))\n";
  expectTrees(**program, cudaTreeModule(), text, 20);
  cuda.takeCalls();
  expectTrees(**program, cudaTreeModule(), text, 20);
  // Two reads one after the other: each has its flush.
  Calls read = {"cuMemcpyHtoDAsync",    "cuEventRecord",
                "cuLaunchKernel embed", "cuLaunchKernel dynbatch_gather",
                "cuMemcpyDtoHAsync",    "cuStreamSynchronize"};
  Calls expected = read;
  expected.insert(expected.end(), read.begin(), read.end());
  Calls last = {"cuMemcpyHtoDAsync",       "cuEventRecord",
                "cuLaunchKernel average",  "cuLaunchKernel store",
                "cuLaunchKernel classify", "cuMemcpyHtoDAsync",
                "cuEventRecord",           "cuLaunchKernel dynbatch_gather",
                "cuMemcpyDtoHAsync",       "cuStreamSynchronize"};
  expected.insert(expected.end(), last.begin(), last.end());
  EXPECT_EQ(cuda.takeCalls(), expected);

  // On child fibers both reads share a flush; three are not worth a gather.
  auto spawning = tryProgram(cudaSpawningModule());
  ASSERT_TRUE(spawning.ok()) << spawning.message();
  expectTrees(**spawning, cudaSpawningModule(), text, 20);
  cuda.takeCalls();
  expectTrees(**spawning, cudaSpawningModule(),
              "(Node (Leaf 1000) (Leaf 2000))\n(Leaf 3000)\n", 2);
  Calls calls = cuda.takeCalls();
  EXPECT_EQ(count(calls, "cuStreamSynchronize"), 2);
  EXPECT_EQ(count(calls, "cuMemcpyDtoHAsync"), 3 + 2);
  EXPECT_EQ(count(calls, "cuLaunchKernel dynbatch_gather"), 0);
}

TEST_F(CudaTest, ReadsOnTheHostStack) {
  // Without fibers each read is a flush at once.
  std::string descriptor = cudaTreeModule().descriptor;
  const std::string parks = "\"parks\": true";
  descriptor.replace(descriptor.find(parks), parks.size(), "\"parks\": false");
  dynbatch_module module = cudaTreeModule();
  module.descriptor = descriptor.c_str();
  auto program = tryProgram(module);
  ASSERT_TRUE(program.ok()) << program.message();
  for (int i = 0; i < 2; ++i)
    expectTrees(**program, module,
                "(Node (Leaf 1000) (Leaf 2000))\n(Leaf 3000)\n", 2);
}

TEST_F(CudaTest, TensorsInInputsParametersAndResults) {
  auto program = tryProgram(cudaItemsModule());
  ASSERT_TRUE(program.ok()) << program.message();
  InstanceSet instances =
      readInstances(cudaItemsModule(), "[(Some [1 2 3]) None (Some [-4 5 6])]\n"
                                       "[]\n"
                                       "[None]\n"
                                       "[(Some [7 8 9])]\n");
  std::vector<std::string> expected = {
      "[7 27 39] [(Some [1 2 3]) None (Some [-4 5 6])] "
      "[(Some [2 4 6]) (Some [2 4 6])] [10 20 30] 1",
      "[10 20 30] [] [None None] [10 20 30] 0",
      "[10 20 30] [None] [None None] [10 20 30] 0",
      "[17 28 39] [(Some [7 8 9])] [(Some [14 16 18]) (Some [14 16 18])] "
      "[10 20 30] 1"};
  for (size_t batchSize : {4, 1, 2, 4}) {
    auto results = runAll(**program, instances, batchSize);
    ASSERT_TRUE(results.ok()) << results.message();
    EXPECT_EQ(*results, expected);
  }
  // What the host knows it does not ask the device for: the tensors come in
  // one copy, and only the two sums are read back, each in two ways.
  cuda.takeCalls();
  auto results = runAll(**program, instances, 4);
  Calls calls = cuda.takeCalls();
  EXPECT_EQ(calls.front(), "cuMemcpyHtoDAsync");
  // Two pending reads, two of what is there, two sums, two doubled items.
  EXPECT_EQ(count(calls, "cuMemcpyDtoHAsync"), 8);
  EXPECT_EQ(count(calls, "cuMemcpyHtoDAsync"), 1 + 2);
  EXPECT_EQ(count(calls, "cuStreamSynchronize"), 1 + 2 + 1);
}

TEST_F(CudaTest, ManyAndLargeResults) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "(Node (Leaf " + std::to_string(i % 900) + ") (Wrap (Leaf 3)))\n";
  ProgramOptions options;
  options.stats = true;
  auto program = tryProgram(cudaTreeModule(), options);
  ASSERT_TRUE(program.ok()) << program.message();
  for (size_t batchSize : {3000, 10, 3000})
    expectTrees(**program, cudaTreeModule(), text, batchSize);
}

TEST_F(CudaTest, MinibatchesUseMemoryAgain) {
  ProgramOptions options;
  options.verifySchedule = true;
  auto program = tryProgram(cudaTreeModule(), options);
  ASSERT_TRUE(program.ok()) << program.message();
  expectTrees(**program, cudaTreeModule(), kTrees, 5);
  cuda.takeCalls();
  for (int i = 0; i < 5; ++i)
    expectTrees(**program, cudaTreeModule(), kTrees, 5 - i);
  Calls calls = cuda.takeCalls();
  EXPECT_EQ(count(calls, "cuMemAlloc"), 0);
  EXPECT_EQ(count(calls, "cuMemHostAlloc"), 0);
  EXPECT_EQ(count(calls, "cuModuleLoadDataEx"), 0);
  EXPECT_EQ(count(calls, "cuModuleGetFunction"), 0);
  // Each minibatch leaves the arena poisoned.
  EXPECT_GE(count(calls, "cuMemsetD8Async"), 5);
}

TEST_F(CudaTest, ErrorsOfHostCodeLeaveTheProgramUsable) {
  auto program = tryProgram(cudaTreeModule());
  ASSERT_TRUE(program.ok()) << program.message();
  InstanceSet bad = readInstances(
      cudaTreeModule(), "(Leaf 1000)\n(Node (Leaf 2000) (Leaf -7))\n");
  for (int i = 0; i < 3; ++i) {
    Status status =
        (*program)->run(bad, 0, 2, [](const ResultView &) { FAIL(); });
    EXPECT_EQ(status.message(),
              "instance 1: t.mlir:1:1: dynbatch.lookup: index -7 is out of "
              "bounds for size 1000 (trees.txt:2)");
    expectTrees(**program, cudaTreeModule(), kTrees, 3);
  }
}

TEST_F(CudaTest, TwoProgramsAtOnce) {
  auto work = [&](const dynbatch_module &module) {
    ProgramOptions options;
    options.stats = options.trace = true;
    auto program = tryProgram(module, options);
    ASSERT_TRUE(program.ok()) << program.message();
    for (int i = 0; i < 20; ++i)
      expectTrees(**program, module, std::string(kTrees) + "(Leaf 1000)\n",
                  1 + i % 6);
  };
  std::thread other(work, std::cref(cudaSpawningModule()));
  work(cudaTreeModule());
  other.join();
}

TEST_F(CudaTest, NoInstances) {
  auto program = tryProgram(cudaItemsModule());
  ASSERT_TRUE(program.ok()) << program.message();
  InstanceSet none = readInstances(cudaItemsModule(), "");
  EXPECT_TRUE(
      (*program)->run(none, 0, 0, [](const ResultView &) { FAIL(); }).ok());
}

TEST_F(CudaTest, Statistics) {
  ProgramOptions options;
  options.stats = options.trace = true;
  auto program = tryProgram(cudaTreeModule(), options);
  ASSERT_TRUE(program.ok()) << program.message();
  expectTrees(**program, cudaTreeModule(), std::string(kTrees) + "(Leaf 1000)",
              6);
  // A kernel of the fake driver takes a millisecond of the device's time.
  const Statistics &statistics = (*program)->statistics();
  EXPECT_EQ(statistics.flushes, 2);
  EXPECT_EQ(statistics.device.launches, 10 + 1);
  EXPECT_EQ(statistics.device.uploads, 3);
  EXPECT_EQ(statistics.device.fetchedBytes, 32 + 6 * 16);
  EXPECT_NEAR(statistics.kernelSeconds, 10e-3, 1e-6);
  EXPECT_NEAR(statistics.kernels[1].seconds, 4e-3, 1e-6);
  EXPECT_EQ(statistics.kernels[1].batches, 2);
  EXPECT_EQ(statistics.tasks, 25);

  std::ostringstream table, json, trace;
  statistics.print(table);
  EXPECT_NE(table.str().find("device launches             11"),
            std::string::npos)
      << table.str();
  statistics.printJson(json);
  EXPECT_NE(json.str().find("\"device_launches\": 11"), std::string::npos);
  (*program)->writeTrace(trace);
  EXPECT_NE(trace.str().find("\"name\":\"results\""), std::string::npos);
  EXPECT_NE(trace.str().find("\"dur\":2000.0,\"pid\":1,\"tid\":2"),
            std::string::npos)
      << trace.str();
}
