//===- Launcher.cpp - Launches of GPU kernels -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Launcher.h"

#include "core/KernelError.h"

#include <cstdio>
#include <cstdlib>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

static thread_local Launcher *currentLauncher = nullptr;

Launcher *Launcher::current() { return currentLauncher; }

Launcher::Active::Active(Launcher &launcher) : outer(currentLauncher) {
  currentLauncher = &launcher;
}

Launcher::Active::~Active() { currentLauncher = outer; }

Status Launcher::checkShape(const Shape &shape) const {
  const Device::Limits &limits = stream.device().limits();
  auto text = [](const int64_t(&size)[3]) {
    return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
           std::to_string(size[2]);
  };
  int64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (shape.grid[i] < 0 || shape.grid[i] > limits.grid[i])
      return Status::error("a grid of " + text(shape.grid) +
                           " blocks: the device allows " +
                           std::to_string(limits.grid[0]) + " x " +
                           std::to_string(limits.grid[1]) + " x " +
                           std::to_string(limits.grid[2]));
    // A product of numbers so small does not overflow.
    if (shape.block[i] < 1 || shape.block[i] > limits.block[i] ||
        (threads *= shape.block[i]) > limits.threads)
      return Status::error("a block of " + text(shape.block) +
                           " threads: the device allows " +
                           std::to_string(limits.threads));
  }
  if (shape.sharedBytes < 0 || shape.sharedBytes > limits.sharedBytes)
    return Status::error(std::to_string(shape.sharedBytes) +
                         " bytes of shared memory: the device allows " +
                         std::to_string(limits.sharedBytes));
  return Status::success();
}

Status Launcher::start(const dynbatch_gpu_image &image, const char *kernel,
                       const Shape &shape, void **arguments,
                       const char *location) {
  Status status = checkShape(shape);
  if (!status.ok())
    return status;
  if (shape.grid[0] == 0 || shape.grid[1] == 0 || shape.grid[2] == 0)
    return status;
  Result<LoadedKernel *> loaded = images.get(image, kernel);
  if (!loaded.ok())
    return loaded.takeError();
  Device &device = stream.device();
  if (shape.sharedBytes > (*loaded)->sharedBytes) {
    status = device.check(device.driver().cuFuncSetAttribute(
                              (*loaded)->function,
                              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              static_cast<int>(shape.sharedBytes)),
                          "cuFuncSetAttribute");
    if (!status.ok())
      return status;
    (*loaded)->sharedBytes = shape.sharedBytes;
  }
  unsigned grid[3], block[3];
  for (int i = 0; i < 3; ++i) {
    grid[i] = static_cast<unsigned>(shape.grid[i]);
    block[i] = static_cast<unsigned>(shape.block[i]);
  }
  ++count;
  return stream.launch((*loaded)->function, grid, block,
                       static_cast<unsigned>(shape.sharedBytes), arguments,
                       kernel, location);
}

Status Launcher::launch(const dynbatch_gpu_image &image, const char *kernel,
                        const Shape &shape, void **arguments,
                        const char *location) {
  Status status = start(image, kernel, shape, arguments, location);
  if (status.ok())
    return status;
  return Status::error("kernel " + kernelText(kernel, location) + ": " +
                       status.message());
}

void dynbatch_rt_gpu_launch(const dynbatch_gpu_image *image, const char *kernel,
                            int64_t grid_x, int64_t grid_y, int64_t grid_z,
                            int64_t block_x, int64_t block_y, int64_t block_z,
                            int64_t shared_bytes, void **args, int64_t num_args,
                            const char *location) {
  Launcher *launcher = Launcher::current();
  if (!launcher) {
    std::fputs("dynbatch runtime: GPU kernel launched outside a flush\n",
               stderr);
    std::abort();
  }
  // After an error a flush only comes to its end.
  if (hasKernelError())
    return;
  void *none = nullptr;
  Status status = launcher->launch(
      *image, kernel,
      {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes},
      num_args ? args : &none, location ? location : "");
  if (!status.ok())
    reportKernelError(status.message());
}
