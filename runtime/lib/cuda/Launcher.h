//===- Launcher.h - Launches of GPU kernels ---------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_LAUNCHER_H
#define DYNBATCH_LIB_CUDA_LAUNCHER_H

#include "cuda/ImageCache.h"
#include "cuda/Stream.h"

#include <cstdint>

namespace dynbatch::rt::cuda {

/// What dynbatch_rt_gpu_launch does.
class Launcher {
public:
  struct Shape {
    int64_t grid[3];
    int64_t block[3];
    int64_t sharedBytes;
  };

  explicit Launcher(Stream &stream) : stream(stream), images(stream.device()) {}

  /// Starts a kernel, in the device's Scope. Errors name it.
  Status launch(const dynbatch_gpu_image &image, const char *kernel,
                const Shape &shape, void **arguments, const char *location);

  int64_t launches() const { return count; }

  /// While it lives, launches on this thread are the launcher's.
  class Active {
  public:
    explicit Active(Launcher &launcher);
    Active(const Active &) = delete;
    Active &operator=(const Active &) = delete;
    ~Active();

  private:
    Launcher *outer;
  };
  /// Null outside of flushes.
  static Launcher *current();

private:
  Status start(const dynbatch_gpu_image &image, const char *kernel,
               const Shape &shape, void **arguments, const char *location);
  Status checkShape(const Shape &shape) const;

  Stream &stream;
  ImageCache images;
  int64_t count = 0;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_LAUNCHER_H
