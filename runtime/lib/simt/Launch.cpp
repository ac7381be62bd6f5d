//===- Launch.cpp - Launches of GPU kernels on the CPU ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/KernelError.h"
#include "dynbatch/Runtime/ABI.h"
#include "simt/Block.h"

using namespace dynbatch::rt;

/// What a GPU would refuse. Errors here are found without one.
static Status checkLaunch(const SimtLaunch &launch) {
  struct Limit {
    const char *what;
    int64_t value, least, most;
  };
  constexpr int64_t kMaxWorkgroupBytes = 227 << 10;
  const Dim3 &grid = launch.grid, &block = launch.block;
  auto check = [](const Limit &limit) {
    if (limit.value >= limit.least && limit.value <= limit.most)
      return Status::success();
    return Status::error(std::string("the ") + limit.what + " is " +
                         std::to_string(limit.value) + ", a GPU takes from " +
                         std::to_string(limit.least) + " to " +
                         std::to_string(limit.most));
  };
  const Limit sizes[] = {
      {"grid size x", grid[0], 1, INT32_MAX},
      {"grid size y", grid[1], 1, UINT16_MAX},
      {"grid size z", grid[2], 1, UINT16_MAX},
      {"block size x", block[0], 1, Block::kMaxThreads},
      {"block size y", block[1], 1, Block::kMaxThreads},
      {"block size z", block[2], 1, 64},
      {"dynamic workgroup memory", launch.dynamicBytes, 0, kMaxWorkgroupBytes},
      {"workgroup memory of a block", launch.staticBytes + launch.dynamicBytes,
       0, kMaxWorkgroupBytes}};
  for (const Limit &limit : sizes) {
    Status status = check(limit);
    if (!status.ok())
      return status;
  }
  return check({"number of threads of a block", block[0] * block[1] * block[2],
                1, Block::kMaxThreads});
}

static Status run(const SimtLaunch &launch) {
  // Its stacks are used again by the next launch.
  static thread_local Block block;
  Status status = checkLaunch(launch);
  if (status.ok())
    status = block.prepare(launch);
  if (!status.ok())
    return Status::error(std::string("kernel '") + launch.kernel +
                         "': " + status.message());
  for (int64_t z = 0; z < launch.grid[2]; ++z)
    for (int64_t y = 0; y < launch.grid[1]; ++y)
      for (int64_t x = 0; x < launch.grid[0]; ++x) {
        status = block.run({x, y, z});
        if (!status.ok())
          return status;
      }
  return status;
}

void dynbatch_rt_simt_launch(const char *kernel, dynbatch_simt_fn function,
                             char *arguments, int64_t grid_x, int64_t grid_y,
                             int64_t grid_z, int64_t block_x, int64_t block_y,
                             int64_t block_z, int64_t static_bytes,
                             int64_t dynamic_bytes) {
  if (hasKernelError())
    return;
  SimtLaunch launch{kernel,
                    function,
                    arguments,
                    {grid_x, grid_y, grid_z},
                    {block_x, block_y, block_z},
                    static_bytes,
                    dynamic_bytes};
  Status status = run(launch);
  if (!status.ok())
    reportKernelError(status.message());
}

void dynbatch_rt_simt_barrier(dynbatch_simt_thread *thread, const char *what) {
  SimtThread &self = SimtThread::from(thread);
  self.block->waitAtBarrier(self, what);
}

dynbatch_simt_shuffled dynbatch_rt_simt_shuffle(dynbatch_simt_thread *thread,
                                                const char *what, int32_t mode,
                                                uint64_t value, int32_t offset,
                                                int32_t width) {
  SimtThread &self = SimtThread::from(thread);
  if (width < 1 || width > int32_t(kWarpSize)) {
    self.block->report(self, what, "a width of " + std::to_string(width));
    self.block->leave(self);
  }
  Shuffle shuffle(mode, value, offset, width);
  self.block->waitForWarp(self, what, shuffle);
  return shuffle.result;
}

void dynbatch_rt_simt_mma(dynbatch_simt_thread *thread, const char *what,
                          int32_t type, int32_t k, const char *a, const char *b,
                          const float *c, float *d) {
  SimtThread &self = SimtThread::from(thread);
  Mma mma(type, k, a, b, c, d);
  self.block->waitForWarp(self, what, mma);
}

void dynbatch_rt_simt_check_index(dynbatch_simt_thread *thread,
                                  const char *what, int64_t dimension,
                                  int64_t index, int64_t extent, int64_t size) {
  if (index >= 0 && extent <= size && index <= size - extent)
    return;
  // The first position that does not exist.
  int64_t position = index < 0 || index > size ? index : size;
  SimtThread &self = SimtThread::from(thread);
  self.block->report(self, what,
                     "index " + std::to_string(position) + " of dimension " +
                         std::to_string(dimension) +
                         " is out of bounds, size " + std::to_string(size));
  self.block->leave(self);
}

void dynbatch_rt_simt_access(dynbatch_simt_thread *thread, const char *what,
                             int32_t access, const char *address, int64_t bytes,
                             int64_t alignment) {
  SimtThread &self = SimtThread::from(thread);
  if (uint64_t offset = reinterpret_cast<uintptr_t>(address) % alignment) {
    self.block->report(self, what,
                       "an address that is " + std::to_string(offset) +
                           " bytes behind a multiple of " +
                           std::to_string(alignment));
    self.block->leave(self);
  }
  self.block->access(self, what, static_cast<WorkgroupMemory::Access>(access),
                     address, bytes);
}
