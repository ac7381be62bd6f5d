//===- CpuExecutorTest.cpp - Threads and pieces -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/CpuExecutor.h"

#include <gtest/gtest.h>

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

TEST(CpuExecutor, PiecesAreMultiplesOfTheGrain) {
  CpuExecutor::Options options;
  options.threads = 4;
  options.grainFlops = 1000;
  auto piece = [&](int64_t count, int64_t flops) {
    return CpuExecutor::rowsPerPiece(count, flops, options);
  };
  EXPECT_EQ(piece(1, 0), 1);
  EXPECT_EQ(piece(23, 0), 23); // two grains are not full
  EXPECT_EQ(piece(24, 0), 12);
  EXPECT_EQ(piece(48, 0), 12);
  EXPECT_EQ(piece(50, 0), 24);
  EXPECT_EQ(piece(4800, 0), 1200);
  EXPECT_EQ(piece(48, 10), 48);   // 480 flops: not worth a second thread
  EXPECT_EQ(piece(200, 10), 108); // worth two
  options.threads = 1;
  EXPECT_EQ(piece(4800, 0), 4800);
}
