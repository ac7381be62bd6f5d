//===- SimtTest.cpp - GPU kernels on the CPU --------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "core/KernelError.h"
#include "loaders/SmallFloat.h"
#include "simt/Block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>

using namespace dynbatch::rt;

namespace {
using Thread = dynbatch_simt_thread;
using Code = std::function<void(Thread *)>;

/// Runs `code` as a kernel; the error, or an empty string.
std::string launch(Dim3 grid, Dim3 block, Code code, int64_t staticBytes = 0,
                   int64_t dynamicBytes = 0) {
  dynbatch_rt_simt_launch(
      "k",
      [](Thread *thread, char *code) {
        (*reinterpret_cast<Code *>(code))(thread);
      },
      reinterpret_cast<char *>(&code), grid[0], grid[1], grid[2], block[0],
      block[1], block[2], staticBytes, dynamicBytes);
  return takeKernelError().message();
}

/// Number of a thread in its block.
int64_t number(const Thread *thread) {
  return thread->thread_id[0] +
         thread->block_dim[0] * (thread->thread_id[1] +
                                 thread->block_dim[1] * thread->thread_id[2]);
}

void write(Thread *thread, int64_t byte, int64_t bytes) {
  dynbatch_rt_simt_access(thread, "w", DYNBATCH_SIMT_WRITE,
                          thread->workgroup + byte, bytes, 1);
}
void read(Thread *thread, int64_t byte, int64_t bytes) {
  dynbatch_rt_simt_access(thread, "r", DYNBATCH_SIMT_READ,
                          thread->workgroup + byte, bytes, 1);
}
void update(Thread *thread, int64_t byte, int64_t bytes) {
  dynbatch_rt_simt_access(thread, "u", DYNBATCH_SIMT_ATOMIC,
                          thread->workgroup + byte, bytes, 1);
}
} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST(Simt, RunsEachThreadOnceAndTellsItWhoItIs) {
  const Dim3 grid = {3, 5, 2}, block = {7, 3, 2};
  std::map<std::array<int64_t, 6>, int> runs;
  EXPECT_EQ(
      launch(grid, block,
             [&](Thread *t) {
               ++runs[{t->block_id[0], t->block_id[1], t->block_id[2],
                       t->thread_id[0], t->thread_id[1], t->thread_id[2]}];
               for (int d = 0; d < 3; ++d) {
                 EXPECT_LT(t->block_id[d], grid[d]);
                 EXPECT_LT(t->thread_id[d], block[d]);
                 EXPECT_EQ(t->block_dim[d], block[d]);
                 EXPECT_EQ(t->grid_dim[d], grid[d]);
               }
               EXPECT_EQ(t->lane_id, number(t) % 32);
               EXPECT_EQ(t->subgroup_id, number(t) / 32);
               EXPECT_EQ(t->num_subgroups, 2);
             }),
      "");
  EXPECT_EQ(runs.size(), 3u * 5 * 2 * 7 * 3 * 2);
  for (const auto &[id, count] : runs)
    EXPECT_EQ(count, 1);
}

TEST(Simt, RunsBlocksOfEverySize) {
  for (int64_t threads : {1, 31, 32, 33, 100, 1024}) {
    int64_t runs = 0;
    EXPECT_EQ(launch({10, 1, 1}, {threads, 1, 1},
                     [&](Thread *t) {
                       ++runs;
                       dynbatch_rt_simt_barrier(t, "b");
                       ++runs;
                     }),
              "");
    EXPECT_EQ(runs, 2 * 10 * threads);
  }
}

TEST(Simt, RefusesWhatAGpuRefuses) {
  auto refused = [](Dim3 grid, Dim3 block, int64_t staticBytes,
                    int64_t dynamicBytes) {
    return launch(
        grid, block, [](Thread *) { ADD_FAILURE(); }, staticBytes,
        dynamicBytes);
  };
  EXPECT_EQ(refused({0, 1, 1}, {1, 1, 1}, 0, 0),
            "kernel 'k': the grid size x is 0, a GPU takes from 1 to "
            "2147483647");
  EXPECT_EQ(refused({1, 65536, 1}, {1, 1, 1}, 0, 0),
            "kernel 'k': the grid size y is 65536, a GPU takes from 1 to "
            "65535");
  EXPECT_EQ(refused({1, 1, -1}, {1, 1, 1}, 0, 0),
            "kernel 'k': the grid size z is -1, a GPU takes from 1 to 65535");
  EXPECT_EQ(refused({1, 1, 1}, {0, 1, 1}, 0, 0),
            "kernel 'k': the block size x is 0, a GPU takes from 1 to 1024");
  EXPECT_EQ(refused({1, 1, 1}, {1, 1, 65}, 0, 0),
            "kernel 'k': the block size z is 65, a GPU takes from 1 to 64");
  EXPECT_EQ(refused({1, 1, 1}, {33, 32, 1}, 0, 0),
            "kernel 'k': the number of threads of a block is 1056, a GPU takes "
            "from 1 to 1024");
  EXPECT_EQ(refused({1, 1, 1}, {1, 1, 1}, 0, -1),
            "kernel 'k': the dynamic workgroup memory is -1, a GPU takes from "
            "0 to 232448");
  EXPECT_EQ(refused({1, 1, 1}, {1, 1, 1}, 232448, 64),
            "kernel 'k': the workgroup memory of a block is 232512, a GPU "
            "takes from 0 to 232448");
}

TEST(Simt, AnErrorEndsItsLaunchAndThoseBehind) {
  int runs = 0;
  auto fail = [&](Thread *t) {
    ++runs;
    dynbatch_rt_simt_check_index(t, "here", 2, 70, 1, 64);
    ADD_FAILURE();
  };
  Code code = fail;
  for (int i = 0; i < 2; ++i)
    dynbatch_rt_simt_launch(
        "first",
        [](Thread *thread, char *code) {
          (*reinterpret_cast<Code *>(code))(thread);
        },
        reinterpret_cast<char *>(&code), 4, 1, 1, 64, 1, 1, 0, 0);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(hasKernelError());
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, fail),
            "kernel 'first', block (0, 0, 0), thread (0, 0, 0): here: index 70 "
            "of dimension 2 is out of bounds, size 64");
  EXPECT_FALSE(hasKernelError());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(launch({2, 1, 1}, {64, 1, 1}, [&](Thread *) { ++runs; }), "");
  EXPECT_EQ(runs, 129);
}

TEST(Simt, ChecksRangesOfIndices) {
  auto check = [](int64_t index, int64_t extent, int64_t size) {
    return launch({1, 1, 1}, {1, 1, 1}, [=](Thread *t) {
      dynbatch_rt_simt_check_index(t, "op", 0, index, extent, size);
    });
  };
  auto outside = [](int64_t index, int64_t size) {
    return "kernel 'k', block (0, 0, 0), thread (0, 0, 0): op: index " +
           std::to_string(index) + " of dimension 0 is out of bounds, size " +
           std::to_string(size);
  };
  EXPECT_EQ(check(0, 1, 1), "");
  EXPECT_EQ(check(60, 4, 64), "");
  EXPECT_EQ(check(64, 0, 64), ""); // an empty view
  EXPECT_EQ(check(61, 4, 64), outside(64, 64));
  EXPECT_EQ(check(70, 4, 64), outside(70, 64));
  EXPECT_EQ(check(-1, 1, 64), outside(-1, 64));
  EXPECT_EQ(check(0, 1, 0), outside(0, 0));
  EXPECT_EQ(check(0, 8, 4), outside(4, 4));
  EXPECT_EQ(check(INT64_MAX, 4, 64), outside(INT64_MAX, 64));
  EXPECT_EQ(check(INT64_MIN, 4, 64), outside(INT64_MIN, 64));
}

TEST(Simt, ChecksAlignment) {
  alignas(16) char bytes[32];
  auto check = [&](int64_t offset, int64_t alignment) {
    return launch({1, 1, 1}, {1, 1, 1}, [=](Thread *t) {
      dynbatch_rt_simt_access(t, "op", DYNBATCH_SIMT_READ, bytes + offset, 4,
                              alignment);
    });
  };
  EXPECT_EQ(check(16, 16), "");
  EXPECT_EQ(check(4, 4), "");
  EXPECT_EQ(check(3, 1), "");
  EXPECT_EQ(check(20, 16),
            "kernel 'k', block (0, 0, 0), thread (0, 0, 0): op: an address "
            "that is 4 bytes behind a multiple of 16");
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(Simt, ABarrierOrdersAllThreads) {
  constexpr int kThreads = 77, kSteps = 5;
  int arrived = 0;
  EXPECT_EQ(launch({3, 1, 1}, {kThreads, 1, 1},
                   [&](Thread *t) {
                     int before = arrived / kThreads * kThreads;
                     for (int step = 0; step < kSteps; ++step) {
                       ++arrived;
                       dynbatch_rt_simt_barrier(t, "a");
                       EXPECT_EQ(arrived, before + kThreads);
                       dynbatch_rt_simt_barrier(t, "b");
                       before += kThreads;
                     }
                   }),
            "");
  EXPECT_EQ(arrived, 3 * kThreads * kSteps);
}

TEST(Simt, FindsBarriersThatSomeThreadsDoNotReach) {
  static const char *const first = "x.mlir:1:1: 'gpu.barrier'";
  static const char *const second = "x.mlir:2:1: 'gpu.barrier'";
  EXPECT_EQ(launch({2, 1, 1}, {40, 1, 1},
                   [](Thread *t) {
                     if (t->block_id[0] == 1 && t->thread_id[0] == 17)
                       return;
                     dynbatch_rt_simt_barrier(t, first);
                   }),
            "kernel 'k', block (1, 0, 0), thread (0, 0, 0): x.mlir:1:1: "
            "'gpu.barrier': divergence: thread (17, 0, 0) has ended");
  EXPECT_EQ(launch({1, 1, 1}, {20, 2, 1},
                   [](Thread *t) {
                     dynbatch_rt_simt_barrier(t,
                                              t->thread_id[1] ? second : first);
                   }),
            "kernel 'k', block (0, 0, 0), thread (0, 0, 0): x.mlir:1:1: "
            "'gpu.barrier': divergence: thread (0, 1, 0) waits in x.mlir:2:1: "
            "'gpu.barrier'");
  // One more turn of a loop than the others.
  EXPECT_EQ(launch({1, 1, 1}, {4, 1, 1},
                   [](Thread *t) {
                     for (int i = 0; i < (t->thread_id[0] == 3 ? 3 : 2); ++i)
                       dynbatch_rt_simt_barrier(t, first);
                   }),
            "kernel 'k', block (0, 0, 0), thread (3, 0, 0): x.mlir:1:1: "
            "'gpu.barrier': divergence: thread (0, 0, 0) has ended");
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

TEST(Simt, ShufflesLanes) {
  struct Case {
    int32_t mode, offset, width;
    std::function<int64_t(int64_t)> source;
  };
  const Case cases[] = {
      {DYNBATCH_SIMT_SHUFFLE_XOR, 5, 32, [](int64_t k) { return k ^ 5; }},
      {DYNBATCH_SIMT_SHUFFLE_XOR, 16, 20, [](int64_t k) { return k ^ 16; }},
      {DYNBATCH_SIMT_SHUFFLE_DOWN, 3, 32, [](int64_t k) { return k + 3; }},
      {DYNBATCH_SIMT_SHUFFLE_DOWN, 3, 8, [](int64_t k) { return k + 3; }},
      {DYNBATCH_SIMT_SHUFFLE_UP, 2, 32, [](int64_t k) { return k - 2; }},
      {DYNBATCH_SIMT_SHUFFLE_UP, 2, 16, [](int64_t k) { return k - 2; }},
      {DYNBATCH_SIMT_SHUFFLE_IDX, 7, 32, [](int64_t) { return 7; }},
      {DYNBATCH_SIMT_SHUFFLE_IDX, 7, 7, [](int64_t) { return 7; }},
      {DYNBATCH_SIMT_SHUFFLE_IDX, -1, 32, [](int64_t) { return -1; }}};
  // The last warp has 20 lanes, enough where the width is no larger.
  for (const Case &test : cases)
    for (int64_t threads : {32, 64, test.width <= 20 ? 84 : 96})
      EXPECT_EQ(launch({2, 1, 1}, {threads, 1, 1},
                       [&](Thread *t) {
                         uint64_t mine = 1000000000000 + number(t);
                         dynbatch_simt_shuffled got = dynbatch_rt_simt_shuffle(
                             t, "s", test.mode, mine, test.offset, test.width);
                         int64_t source = test.source(t->lane_id);
                         bool valid = t->lane_id < test.width && source >= 0 &&
                                      source < test.width;
                         EXPECT_EQ(got.valid, valid);
                         EXPECT_EQ(got.value, valid ? mine - t->lane_id + source
                                                    : ~uint64_t(0));
                       }),
                "");
}

TEST(Simt, WarpsShuffleOnTheirOwn) {
  uint64_t sum = 0;
  EXPECT_EQ(launch({1, 1, 1}, {96, 1, 1},
                   [&](Thread *t) {
                     uint64_t value = 1;
                     for (int64_t i = 0; i < t->subgroup_id; ++i)
                       for (int32_t offset = 16; offset; offset /= 2)
                         value += dynbatch_rt_simt_shuffle(
                                      t, "s", DYNBATCH_SIMT_SHUFFLE_XOR, value,
                                      offset, 32)
                                      .value;
                     dynbatch_rt_simt_barrier(t, "b");
                     sum += value;
                   }),
            "");
  EXPECT_EQ(sum, 32u + 32 * 32 + 32 * 1024);
}

TEST(Simt, LanesBeyondTheWidthMayStayAway) {
  int valid = 0;
  EXPECT_EQ(launch({1, 1, 1}, {32, 1, 1},
                   [&](Thread *t) {
                     if (t->lane_id < 8)
                       valid += dynbatch_rt_simt_shuffle(
                                    t, "s", DYNBATCH_SIMT_SHUFFLE_XOR, 0, 1, 8)
                                    .valid;
                     dynbatch_rt_simt_barrier(t, "b");
                   }),
            "");
  EXPECT_EQ(valid, 8);
}

TEST(Simt, FindsShufflesThatSomeLanesDoNotReach) {
  static const char *const first = "1", *const second = "2";
  auto shuffle = [](Thread *t, const char *what, int32_t width = 32) {
    dynbatch_rt_simt_shuffle(t, what, DYNBATCH_SIMT_SHUFFLE_XOR, 0, 1, width);
  };
  EXPECT_EQ(launch({1, 1, 1}, {64, 1, 1},
                   [&](Thread *t) {
                     if (number(t) != 40)
                       shuffle(t, first);
                   }),
            "kernel 'k', block (0, 0, 0), thread (32, 0, 0): 1: divergence: "
            "thread (40, 0, 0) has ended");
  EXPECT_EQ(launch({1, 1, 1}, {32, 1, 1},
                   [&](Thread *t) {
                     if (number(t) != 5)
                       shuffle(t, first);
                     dynbatch_rt_simt_barrier(t, second);
                   }),
            "kernel 'k', block (0, 0, 0), thread (0, 0, 0): 1: divergence: "
            "thread (5, 0, 0) waits in 2");
  EXPECT_EQ(launch({1, 1, 1}, {32, 1, 1},
                   [&](Thread *t) { shuffle(t, t->lane_id ? first : second); }),
            "kernel 'k', block (0, 0, 0), thread (0, 0, 0): 2: divergence: "
            "thread (1, 0, 0) waits in 1");
  EXPECT_EQ(
      launch({1, 1, 1}, {20, 1, 1}, [&](Thread *t) { shuffle(t, first); }),
      "kernel 'k', block (0, 0, 0), thread (0, 0, 0): 1: needs 32 lanes, "
      "but the warp has 20");
  EXPECT_EQ(
      launch({1, 1, 1}, {32, 1, 1},
             [&](Thread *t) { shuffle(t, first, t->lane_id == 3 ? 16 : 32); }),
      "kernel 'k', block (0, 0, 0), thread (3, 0, 0): 1: a width of 16, "
      "but other lanes of the warp have 32");
  EXPECT_EQ(
      launch({1, 1, 1}, {32, 1, 1}, [&](Thread *t) { shuffle(t, first, 33); }),
      "kernel 'k', block (0, 0, 0), thread (0, 0, 0): 1: a width of 33");
}

TEST(Simt, MultipliesMatricesOfHalves) {
  // Small integers: every sum is exact.
  auto a = [](int row, int k) { return float((row * 3 + k * 5) % 7 - 3); };
  auto b = [](int k, int col) { return float((k * 2 + col * 3) % 5 - 2); };
  auto c = [](int row, int col) { return float(row * 8 + col); };
  EXPECT_EQ(launch({1, 1, 1}, {64, 1, 1},
                   [&](Thread *t) {
                     int group = t->lane_id / 4, member = t->lane_id % 4;
                     uint16_t left[8], right[4];
                     float sums[4], results[4];
                     for (int i = 0; i < 8; ++i)
                       left[i] = toF16(a(group + i / 2 % 2 * 8,
                                         member * 2 + i % 2 + i / 4 * 8));
                     for (int i = 0; i < 4; ++i)
                       right[i] =
                           toF16(b(member * 2 + i % 2 + i / 2 * 8, group));
                     for (int i = 0; i < 4; ++i)
                       sums[i] = c(group + i / 2 * 8, member * 2 + i % 2);
                     dynbatch_rt_simt_mma(t, "m", DYNBATCH_SIMT_MMA_F16, 16,
                                          reinterpret_cast<char *>(left),
                                          reinterpret_cast<char *>(right), sums,
                                          results);
                     for (int i = 0; i < 4; ++i) {
                       int row = group + i / 2 * 8, col = member * 2 + i % 2;
                       float expected = c(row, col);
                       for (int k = 0; k < 16; ++k)
                         expected += a(row, k) * b(k, col);
                       EXPECT_EQ(results[i], expected);
                     }
                   }),
            "");
}

TEST(Simt, MultipliesMatricesOfBF16) {
  // Beyond what f16 has.
  auto a = [](int row, int k) { return float(row * 3 + k * 5 + 1) * 65536; };
  auto b = [](int k, int col) { return float((k * 2 + col * 3) % 5 - 2); };
  EXPECT_EQ(launch({1, 1, 1}, {32, 1, 1},
                   [&](Thread *t) {
                     int group = t->lane_id / 4, member = t->lane_id % 4;
                     uint16_t left[8], right[4];
                     float sums[4] = {1, 2, 3, 4}, results[4];
                     for (int i = 0; i < 8; ++i)
                       left[i] = toBF16(a(group + i / 2 % 2 * 8,
                                          member * 2 + i % 2 + i / 4 * 8));
                     for (int i = 0; i < 4; ++i)
                       right[i] =
                           toBF16(b(member * 2 + i % 2 + i / 2 * 8, group));
                     dynbatch_rt_simt_mma(t, "m", DYNBATCH_SIMT_MMA_BF16, 16,
                                          reinterpret_cast<char *>(left),
                                          reinterpret_cast<char *>(right), sums,
                                          results);
                     for (int i = 0; i < 4; ++i) {
                       int row = group + i / 2 * 8, col = member * 2 + i % 2;
                       float expected = sums[i];
                       for (int k = 0; k < 16; ++k)
                         expected += a(row, k) * b(k, col);
                       EXPECT_EQ(results[i], expected);
                     }
                   }),
            "");
}

TEST(Simt, MultipliesMatricesOfTf32) {
  auto a = [](int row, int k) { return float((row * 3 + k * 5) % 7 + 1); };
  auto b = [](int k, int col) { return float((k * 2 + col * 3) % 5 + 1); };
  // Truncated to what it was.
  auto larger = [](float value) { return std::nextafter(value, 100.0f); };
  EXPECT_EQ(
      launch({1, 1, 1}, {32, 1, 1},
             [&](Thread *t) {
               int group = t->lane_id / 4, member = t->lane_id % 4;
               float left[4], right[2], sums[4] = {1, 2, 3, 4}, results[4];
               for (int i = 0; i < 4; ++i)
                 left[i] = larger(a(group + i % 2 * 8, member + i / 2 * 4));
               for (int i = 0; i < 2; ++i)
                 right[i] = larger(b(member + i * 4, group));
               dynbatch_rt_simt_mma(t, "m", DYNBATCH_SIMT_MMA_TF32, 8,
                                    reinterpret_cast<char *>(left),
                                    reinterpret_cast<char *>(right), sums,
                                    results);
               for (int i = 0; i < 4; ++i) {
                 int row = group + i / 2 * 8, col = member * 2 + i % 2;
                 float expected = sums[i];
                 for (int k = 0; k < 8; ++k)
                   expected += a(row, k) * b(k, col);
                 EXPECT_EQ(results[i], expected);
               }
             }),
      "");
}

TEST(Simt, AWarpMultipliesOnlyWhenItIsFull) {
  EXPECT_EQ(launch({1, 1, 1}, {40, 1, 1},
                   [](Thread *t) {
                     char fragment[16] = {};
                     float sums[4] = {};
                     dynbatch_rt_simt_mma(t, "m", DYNBATCH_SIMT_MMA_F16, 16,
                                          fragment, fragment, sums, sums);
                   }),
            "kernel 'k', block (0, 0, 0), thread (32, 0, 0): m: needs 32 "
            "lanes, but the warp has 8");
}

//===----------------------------------------------------------------------===//
// Workgroup memory
//===----------------------------------------------------------------------===//

TEST(Simt, PoisonsWorkgroupMemoryForEachBlock) {
  EXPECT_EQ(launch(
                {3, 1, 1}, {4, 1, 1},
                [](Thread *t) {
                  EXPECT_EQ(t->dynamic_bytes, 36);
                  float value;
                  std::memcpy(&value, t->workgroup + 96, sizeof(value));
                  EXPECT_TRUE(std::isnan(value));
                  dynbatch_rt_simt_barrier(t, "b");
                  std::memset(t->workgroup, 0, 100);
                },
                64, 36),
            "");
}

TEST(Simt, FindsReadsOfWhatNobodyHasWritten) {
  EXPECT_EQ(launch(
                {2, 1, 1}, {2, 1, 1},
                [](Thread *t) {
                  if (t->block_id[0] == 0)
                    write(t, 4 * number(t), 4);
                  read(t, 4 * number(t), 4);
                },
                64),
            "kernel 'k', block (1, 0, 0), thread (0, 0, 0): r: reads byte 0 of "
            "workgroup memory, which nobody has written since the block began");
  // The last byte of a vector.
  EXPECT_EQ(launch(
                {1, 1, 1}, {1, 1, 1},
                [](Thread *t) {
                  write(t, 16, 15);
                  read(t, 16, 15);
                  read(t, 16, 16);
                },
                64),
            "kernel 'k', block (0, 0, 0), thread (0, 0, 0): r: reads byte 31 "
            "of workgroup memory, which nobody has written since the block "
            "began");
  EXPECT_EQ(launch(
                {1, 1, 1}, {1, 1, 1}, [](Thread *t) { update(t, 8, 4); }, 64),
            "kernel 'k', block (0, 0, 0), thread (0, 0, 0): u: reads byte 8 of "
            "workgroup memory, which nobody has written since the block began");
}

TEST(Simt, OtherMemoryIsNotWorkgroupMemory) {
  char bytes[16];
  EXPECT_EQ(launch(
                {1, 1, 1}, {4, 1, 1},
                [&](Thread *t) {
                  for (int32_t access :
                       {DYNBATCH_SIMT_READ, DYNBATCH_SIMT_WRITE,
                        DYNBATCH_SIMT_ATOMIC})
                    dynbatch_rt_simt_access(t, "x", access, bytes, 16, 1);
                  read(t, 64, 4);
                  read(t, -4, 4);
                },
                64),
            "");
  EXPECT_EQ(launch({1, 1, 1}, {4, 1, 1},
                   [&](Thread *t) {
                     dynbatch_rt_simt_access(t, "x", DYNBATCH_SIMT_READ, bytes,
                                             16, 1);
                   }),
            "");
}

TEST(Simt, FindsAccessesWithoutABarrierBetween) {
  auto run = [](Code code) {
    return launch({1, 1, 1}, {4, 1, 1}, std::move(code), 64);
  };
  const std::string last = "kernel 'k', block (0, 0, 0), thread (1, 0, 0): ";
  auto store = [](Thread *t, int64_t byte, char value) {
    write(t, byte, 1);
    t->workgroup[byte] = value;
  };
  EXPECT_EQ(run([&](Thread *t) { store(t, 0, 7); }), "");
  EXPECT_EQ(run([&](Thread *t) {
              store(t, 0, t->thread_id[0] == 1);
              write(t, 8, 1);
            }),
            last + "w: changes byte 0 of workgroup memory, which thread (0, 0, "
                   "0) has written since the last barrier");
  EXPECT_EQ(run([&](Thread *t) {
              store(t, 8, 0);
              store(t, 0, t->thread_id[0] == 3);
            }),
            "kernel 'k', block (0, 0, 0), thread (3, 0, 0): w: changes byte 0 "
            "of workgroup memory, which several threads have written since the "
            "last barrier");
  EXPECT_EQ(run([](Thread *t) {
              if (number(t) == 0)
                write(t, 0, 8);
              else
                read(t, 4, 4);
            }),
            last + "r: reads byte 4 of workgroup memory, which thread (0, 0, "
                   "0) has written since the last barrier");
  EXPECT_EQ(run([](Thread *t) {
              write(t, 4 * number(t), 4);
              dynbatch_rt_simt_barrier(t, "b");
              if (number(t) == 1)
                read(t, 8, 4);
              else
                write(t, 4 * number(t), 4);
            }),
            "kernel 'k', block (0, 0, 0), thread (2, 0, 0): w: writes byte 8 "
            "of workgroup memory, which thread (1, 0, 0) has read since the "
            "last barrier");
  EXPECT_EQ(run([](Thread *t) {
              if (number(t) == 0)
                write(t, 0, 4);
              dynbatch_rt_simt_barrier(t, "b");
              if (number(t) < 3)
                read(t, 0, 4);
              else
                write(t, 0, 4);
            }),
            "kernel 'k', block (0, 0, 0), thread (3, 0, 0): w: writes byte 0 "
            "of workgroup memory, which several threads have read since the "
            "last barrier");
  // The right way.
  EXPECT_EQ(run([](Thread *t) {
              for (int i = 0; i < 3; ++i) {
                write(t, 4 * number(t), 4);
                read(t, 4 * number(t), 4);
                dynbatch_rt_simt_barrier(t, "b");
                read(t, 0, 16);
                dynbatch_rt_simt_barrier(t, "c");
              }
            }),
            "");
}

TEST(Simt, AnExchangeOrdersTheLanesOfAWarp) {
  auto run = [](int64_t other) {
    return launch(
        {1, 1, 1}, {64, 1, 1},
        [other](Thread *t) {
          if (number(t) == 0)
            write(t, 0, 4);
          dynbatch_rt_simt_shuffle(t, "s", DYNBATCH_SIMT_SHUFFLE_IDX, 0, 0, 32);
          if (number(t) < 32)
            read(t, 0, 4);
          dynbatch_rt_simt_shuffle(t, "t", DYNBATCH_SIMT_SHUFFLE_IDX, 0, 0, 32);
          if (number(t) == other)
            write(t, 0, 4);
        },
        64);
  };
  EXPECT_EQ(run(7), "");
  EXPECT_EQ(run(40),
            "kernel 'k', block (0, 0, 0), thread (40, 0, 0): w: writes byte 0 "
            "of workgroup memory, which several threads have read since the "
            "last barrier");
}

TEST(Simt, AtomicUpdatesNeedNoOrderAmongThemselves) {
  auto run = [](Code behind) {
    return launch(
        {1, 1, 1}, {3, 1, 1},
        [&](Thread *t) {
          if (number(t) == 0)
            write(t, 0, 4);
          dynbatch_rt_simt_barrier(t, "b");
          update(t, 0, 4);
          behind(t);
        },
        64);
  };
  EXPECT_EQ(run([](Thread *t) {
              dynbatch_rt_simt_barrier(t, "c");
              read(t, 0, 4);
            }),
            "");
  EXPECT_EQ(run([](Thread *t) {
              if (number(t) == 2)
                read(t, 0, 4);
            }),
            "kernel 'k', block (0, 0, 0), thread (2, 0, 0): r: reads byte 0 of "
            "workgroup memory, which several threads have written since the "
            "last barrier");
  EXPECT_EQ(run([](Thread *t) { write(t, 0, 4); }),
            "kernel 'k', block (0, 0, 0), thread (1, 0, 0): u: reads byte 0 of "
            "workgroup memory, which thread (0, 0, 0) has written since the "
            "last barrier");
}

//===----------------------------------------------------------------------===//
// Errors of kernels
//===----------------------------------------------------------------------===//

/// The kernel `embed`, which may report errors.
static bool embedFails;
static void failingEmbed(const int64_t *rows, int64_t count, char *scratch,
                         void *const *params) {
  if (embedFails) {
    reportKernelError("leaf " + std::to_string(rows[0]));
    reportKernelError("only the first error counts");
  }
  test::treeModule().kernels[0](rows, count, scratch, params);
}

TEST(KernelError, FailsTheMinibatch) {
  dynbatch_module module = test::treeModule();
  std::vector<dynbatch_kernel_fn> kernels(module.kernels,
                                          module.kernels + module.num_kernels);
  kernels[0] = failingEmbed;
  module.kernels = kernels.data();
  const std::string tree = "(Node (Node (Leaf 4) (Leaf 3)) "
                           "(Node (Leaf 2) (Node (Leaf 1) (Leaf 5))))";
  for (unsigned threads : {1, 4}) {
    for (bool verify : {false, true}) {
      ProgramOptions options;
      options.threads = threads;
      options.verifySchedule = verify;
      options.grainRows = 1;
      options.grainFlops = 0;
      auto program = test::makeProgram(module, options);
      auto instances = test::readInstances(module, tree + "\n" + tree);
      // Many threads fail: the first row's error counts. It is no instance's.
      for (int repeat = 0; repeat < 20; ++repeat) {
        embedFails = true;
        EXPECT_EQ(test::runAll(*program, instances, 2).message(), "leaf 4");
        embedFails = false;
        auto results = test::runAll(*program, instances, 2);
        ASSERT_TRUE(results.ok()) << results.message();
        EXPECT_EQ((*results)[1], test::expectedTreeResult(tree));
      }
    }
  }
}
