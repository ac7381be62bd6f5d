//===- ImageCache.h - GPU code in a context ---------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_IMAGECACHE_H
#define DYNBATCH_LIB_CUDA_IMAGECACHE_H

#include "cuda/Device.h"
#include "dynbatch/Runtime/ABI.h"

#include <cstdint>
#include <unordered_map>

namespace dynbatch::rt::cuda {

/// A kernel that can be launched.
struct LoadedKernel {
  CUfunction function = nullptr;
  int64_t sharedBytes = 0; ///< dynamic shared memory that it may have
};

/// Loads images when their first kernel is launched, and looks kernels up once.
/// Both are known by their addresses. But for the destructor, functions need
/// the device's Scope.
class ImageCache {
public:
  explicit ImageCache(Device &device) : device(device) {}
  ImageCache(const ImageCache &) = delete;
  ImageCache &operator=(const ImageCache &) = delete;
  ~ImageCache();

  /// An error has the log of the driver's assembler, where it was asked.
  Result<LoadedKernel *> get(const dynbatch_gpu_image &image,
                             const char *kernel);

private:
  struct LoadedImage {
    CUmodule module = nullptr;
    std::unordered_map<const char *, LoadedKernel> kernels;
  };
  Result<CUmodule> load(const dynbatch_gpu_image &image);

  Device &device;
  std::unordered_map<const dynbatch_gpu_image *, LoadedImage> images;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_IMAGECACHE_H
