//===- CpuExecutorTest.cpp - Threads and pieces -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/CpuExecutor.h"
#include "core/KernelError.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace dynbatch::rt;

TEST(ThreadPool, RunsEachPieceOnce) {
  for (unsigned threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int64_t pieces : {0, 1, 2, 7, 100}) {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<std::atomic<int>> done(pieces);
        struct Job {
          std::vector<std::atomic<int>> &done;
          unsigned threads;
        } job{done, threads};
        pool.run(
            pieces,
            [](void *argument, int64_t piece, unsigned thread) {
              Job &job = *static_cast<Job *>(argument);
              EXPECT_LT(thread, job.threads);
              ++job.done[piece];
            },
            &job);
        for (const std::atomic<int> &count : done)
          ASSERT_EQ(count.load(), 1);
      }
    }
  }
}

TEST(CpuExecutor, PiecesAreWorthAThread) {
  CpuExecutor::Options options;
  options.threads = 4;
  options.grainFlops = 1000;
  auto piece = [&](int64_t count, int64_t flops) {
    return CpuExecutor::rowsPerPiece(count, flops, options);
  };
  EXPECT_EQ(piece(1, 0), 1);
  EXPECT_EQ(piece(7, 0), 7); // two grains are not full
  EXPECT_EQ(piece(8, 0), 4);
  EXPECT_EQ(piece(9, 0), 5);
  EXPECT_EQ(piece(48, 0), 12);
  EXPECT_EQ(piece(50, 0), 13);
  EXPECT_EQ(piece(1535, 0), 384);
  EXPECT_EQ(piece(1536, 0), 192); // two pieces a thread
  EXPECT_EQ(piece(4800, 0), 300);
  EXPECT_EQ(piece(48, 10), 48);   // 480 flops: not worth a second thread
  EXPECT_EQ(piece(200, 10), 100); // worth two
  options.threads = 1;
  EXPECT_EQ(piece(4800, 0), 4800);
}

/// Three kernels that fill rows with a constant, the last one fails at 7 rows.
static dynbatch_kernel_fn fillers[] = {
    [](const int64_t *rows, int64_t count, char *, void *const *) {
      for (int64_t i = 0; i < count; ++i)
        *reinterpret_cast<int64_t *>(rows[i]) += 1;
    },
    [](const int64_t *rows, int64_t count, char *, void *const *) {
      for (int64_t i = 0; i < count; ++i)
        *reinterpret_cast<int64_t *>(rows[i]) += 2;
    },
    [](const int64_t *rows, int64_t count, char *, void *const *) {
      for (int64_t i = 0; i < count; ++i)
        if (*reinterpret_cast<int64_t *>(rows[i]) < 0)
          reportKernelError(
              "row " + std::to_string(*reinterpret_cast<int64_t *>(rows[i])));
    }};

TEST(CpuExecutor, BatchesRunSideBySide) {
  auto kernel = [](const char *name, int64_t flops) {
    return std::string(R"({"name": ")") + name +
           R"(", "operands": 0, "row_words": 1, "result_bytes": 64,
              "scratch_bytes": 0, "flops": )" +
           std::to_string(flops) + R"(, "stage": 0, "location": ""})";
  };
  std::string descriptor =
      R"({"name": "m", "entry": {"name": "main", "inputs": [], "results": []},
          "adts": [], "params": [], "kernels": [)" +
      kernel("one", 10) + "," + kernel("two", 1000000) + "," +
      kernel("fails", 0) +
      R"(], "stages": [{"cyclic": false, "kernels": [0, 1, 2]}]})";
  dynbatch_module raw = {DYNBATCH_ABI_VERSION,
                         3,
                         descriptor.c_str(),
                         [](dynbatch_context *, const char *, char *) {},
                         nullptr,
                         fillers};
  Result<Module> module = Module::create(&raw);
  ASSERT_TRUE(module.ok()) << module.message();
  for (unsigned threads : {1, 2, 4}) {
    CpuExecutor::Options options;
    options.threads = threads;
    options.grainFlops = 1000;
    CpuExecutor executor(*module, nullptr, options);
    EXPECT_EQ(executor.runsSideBySide(), threads > 1);
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<int64_t> cells(200), rows;
      for (int64_t &cell : cells)
        rows.push_back(reinterpret_cast<int64_t>(&cell));
      std::vector<Batch> batches = {
          {0, 0, &rows[0], 3}, {1, 0, &rows[3], 180}, {2, 0, &rows[183], 17}};
      ASSERT_TRUE(executor.runTogether(batches).ok());
      for (size_t i = 0; i < cells.size(); ++i)
        ASSERT_EQ(cells[i], i < 3 ? 1 : i < 183 ? 2 : 0);
      for (const Batch &batch : batches)
        EXPECT_GT(batch.seconds, 0);
      cells[199] = -2;
      cells[190] = -1;
      EXPECT_EQ(executor.runTogether(batches).message(), "row -1");
      EXPECT_TRUE(executor.endFlush().ok());
    }
  }
}

TEST(CpuExecutor, TasksAreOrderedByTheirMatrix) {
  const char *descriptor = R"({
    "name": "m", "entry": {"name": "main", "inputs": [], "results": []},
    "adts": [], "params": [],
    "kernels": [{"name": "k", "operands": 2, "row_words": 3, "order_by": 1,
                 "result_bytes": 64, "scratch_bytes": 0, "flops": 0,
                 "stage": 0, "location": ""},
                {"name": "as_it_comes", "operands": 2, "row_words": 3,
                 "result_bytes": 64, "scratch_bytes": 0, "flops": 0,
                 "stage": 0, "location": ""}],
    "stages": [{"cyclic": false, "kernels": [0, 1]}]})";
  // The first operand is the task's number; results say when a task ran in a
  // call, and its number again.
  struct Cell {
    int64_t position, task;
  };
  dynbatch_kernel_fn kernel = [](const int64_t *rows, int64_t count, char *,
                                 void *const *) {
    for (int64_t i = 0; i < count; ++i)
      *reinterpret_cast<Cell *>(rows[3 * i + 2]) = {i, rows[3 * i]};
  };
  dynbatch_kernel_fn kernels[] = {kernel, kernel};
  dynbatch_module raw = {DYNBATCH_ABI_VERSION,
                         2,
                         descriptor,
                         [](dynbatch_context *, const char *, char *) {},
                         nullptr,
                         kernels};
  Result<Module> module = Module::create(&raw);
  ASSERT_TRUE(module.ok()) << module.message();
  for (unsigned threads : {1, 2}) {
    CpuExecutor::Options options;
    options.threads = threads;
    options.grainRows = 100; // one piece
    CpuExecutor executor(*module, nullptr, options);
    std::vector<Cell> cells(10);
    std::vector<int64_t> rows;
    for (int64_t task = 0; task < 10; ++task)
      rows.insert(rows.end(), {task, /*matrix=*/task % 3,
                               reinterpret_cast<int64_t>(&cells[task])});
    const std::vector<int64_t> before = rows;
    std::vector<Batch> batches = {{0, 0, rows.data(), 7},
                                  {1, 0, &rows[7 * 3], 3}};
    ASSERT_TRUE(executor.runTogether(batches).ok());
    int64_t expected[] = {0, 3, 5, 1, 4, 6, 2, 0, 1, 2};
    for (int64_t task = 0; task < 10; ++task) {
      EXPECT_EQ(cells[task].position, expected[task]);
      EXPECT_EQ(cells[task].task, task);
    }
    EXPECT_EQ(rows, before);
    ASSERT_TRUE(executor.run(/*kernel=*/0, rows.data(), 4).ok());
    EXPECT_EQ(cells[3].position, 1);
    EXPECT_TRUE(executor.endFlush().ok());
  }
}

TEST(CpuExecutor, ScratchMemoryGrowsWithTheRows) {
  const char *descriptor = R"({
    "name": "m", "entry": {"name": "main", "inputs": [], "results": []},
    "adts": [], "params": [],
    "kernels": [{"name": "k", "operands": 0, "row_words": 1,
                 "result_bytes": 64, "scratch_bytes": 64,
                 "row_scratch_bytes": 4096, "flops": 0, "stage": 0,
                 "location": ""}],
    "stages": [{"cyclic": false, "kernels": [0]}]})";
  // Fills all that it was promised, and sees that nobody else writes there.
  dynbatch_kernel_fn kernel = [](const int64_t *rows, int64_t count,
                                 char *scratch, void *const *) {
    size_t bytes = 64 + count * 4096;
    std::memset(scratch, static_cast<int>(rows[0]), bytes);
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(scratch[i], static_cast<char>(rows[0]));
    for (int64_t i = 0; i < count; ++i)
      *reinterpret_cast<int64_t *>(rows[i]) += 1;
  };
  dynbatch_module raw = {DYNBATCH_ABI_VERSION,
                         1,
                         descriptor,
                         [](dynbatch_context *, const char *, char *) {},
                         nullptr,
                         &kernel};
  Result<Module> module = Module::create(&raw);
  ASSERT_TRUE(module.ok()) << module.message();
  for (unsigned threads : {1, 3}) {
    CpuExecutor::Options options;
    options.threads = threads;
    CpuExecutor executor(*module, nullptr, options);
    for (int64_t count : {1, 30, 500, 12}) {
      std::vector<int64_t> runs(count), rows(count);
      for (int64_t i = 0; i < count; ++i)
        rows[i] = reinterpret_cast<int64_t>(&runs[i]);
      EXPECT_TRUE(executor.run(0, rows.data(), count).ok());
      EXPECT_EQ(runs, std::vector<int64_t>(count, 1));
    }
  }
}
