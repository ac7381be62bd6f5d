//===- ImageCache.cpp - GPU code in a context -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/ImageCache.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

ImageCache::~ImageCache() {
  Device::Scope scope(device);
  for (auto &[image, loaded] : images)
    device.driver().cuModuleUnload(loaded.module);
}

Result<CUmodule> ImageCache::load(const dynbatch_gpu_image &image) {
  if (image.version != DYNBATCH_GPU_IMAGE_VERSION)
    return Status::error("a GPU image of version " +
                         std::to_string(image.version) +
                         ", this runtime knows version " +
                         std::to_string(DYNBATCH_GPU_IMAGE_VERSION));
  if (image.format > DYNBATCH_GPU_IMAGE_FATBIN)
    return Status::error("a GPU image of an unknown format " +
                         std::to_string(image.format));
  if (!image.data || image.size == 0)
    return Status::error("an empty GPU image");

  // The driver wants a text to end with a NUL.
  std::string text;
  const void *data = image.data;
  if (image.format == DYNBATCH_GPU_IMAGE_PTX) {
    text.assign(image.data, image.size);
    data = text.c_str();
  }
  char errors[8192] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The driver takes sizes as pointers, and writes back how much it used.
  void *values[] = {errors, reinterpret_cast<void *>(sizeof(errors) - 1)};
  CUmodule module = nullptr;
  Status status = device.check(
      device.driver().cuModuleLoadDataEx(&module, data, 2, options, values),
      "cuModuleLoadDataEx");
  if (status.ok())
    return module;
  std::string log(errors);
  while (!log.empty() && log.back() == '\n')
    log.pop_back();
  return Status::error(status.message() + (log.empty() ? "" : ":\n" + log));
}

Result<LoadedKernel *> ImageCache::get(const dynbatch_gpu_image &image,
                                       const char *kernel) {
  auto found = images.find(&image);
  if (found == images.end()) {
    Result<CUmodule> module = load(image);
    if (!module.ok())
      return module.takeError();
    found = images.emplace(&image, LoadedImage{*module, {}}).first;
  }
  LoadedImage &loaded = found->second;
  auto known = loaded.kernels.find(kernel);
  if (known != loaded.kernels.end())
    return &known->second;
  LoadedKernel result;
  Status status = device.check(device.driver().cuModuleGetFunction(
                                   &result.function, loaded.module, kernel),
                               "cuModuleGetFunction");
  if (!status.ok())
    return status;
  return &loaded.kernels.emplace(kernel, result).first->second;
}
