//===- Device.cpp - A GPU ---------------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Device.h"

#include <algorithm>
#include <cstring>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

/// Errors after which a context does nothing any more.
static bool losesContext(CUresult error) {
  switch (error) {
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_INVALID_CONTEXT:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_CONTAINED:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

std::string cuda::kernelText(const char *kernel, const char *location) {
  std::string text = std::string("'") + kernel + "'";
  if (location && *location)
    text += std::string(" (") + location + ")";
  return text;
}

Result<std::unique_ptr<Device>> Device::open(int ordinal) {
  Result<Driver> driver = Driver::open();
  if (!driver.ok())
    return driver.takeError();
  std::unique_ptr<Device> device(new Device(*driver, ordinal));
  Status status = device->enter();
  if (!status.ok())
    return status;
  return device;
}

Status Device::enter() {
  int count = 0;
  Status status = check(functions.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (!status.ok())
    return status;
  if (ordinal < 0 || ordinal >= count)
    return Status::error("there is no CUDA device " + std::to_string(ordinal) +
                         ": the driver knows " + std::to_string(count));
  status = check(functions.cuDeviceGet(&handle, ordinal), "cuDeviceGet");
  auto query = [&](int attribute, int &value) {
    if (status.ok())
      status = check(functions.cuDeviceGetAttribute(&value, attribute, handle),
                     "cuDeviceGetAttribute");
  };
  for (int i = 0; i < 3; ++i) {
    query(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i, maximum.grid[i]);
    query(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i, maximum.block[i]);
  }
  query(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, maximum.threads);
  query(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        maximum.sharedBytes);
  if (!status.ok())
    return status;
  return check(functions.cuDevicePrimaryCtxRetain(&context, handle),
               "cuDevicePrimaryCtxRetain");
}

Device::~Device() {
  if (context)
    functions.cuDevicePrimaryCtxRelease(handle);
}

Status Device::usable() const {
  if (lostBy.empty())
    return Status::success();
  return Status::error("the context of CUDA device " + std::to_string(ordinal) +
                       " was lost by an earlier error: " + lostBy);
}

Status Device::check(CUresult result, const std::string &call) {
  if (result == CUDA_SUCCESS)
    return Status::success();
  std::string text = call + ": " + functions.describe(result);
  if (!losesContext(result))
    return Status::error(std::move(text));
  text += launchesText();
  lostBy = text;
  return Status::error(text + "; the context of CUDA device " +
                       std::to_string(ordinal) +
                       " is lost: end all programs that use it before a new "
                       "one begins");
}

std::string Device::launchesText() const {
  constexpr size_t kMost = 8;
  std::string names;
  std::vector<const Launch *> seen;
  for (const Launch &launch : launches) {
    auto same = [&](const Launch *other) {
      return std::strcmp(other->kernel, launch.kernel) == 0 &&
             std::strcmp(other->location, launch.location) == 0;
    };
    if (std::any_of(seen.begin(), seen.end(), same))
      continue;
    if (seen.size() == kMost) {
      names += ", ...";
      break;
    }
    names +=
        (seen.empty() ? "" : ", ") + kernelText(launch.kernel, launch.location);
    seen.push_back(&launch);
  }
  return names.empty() ? names
                       : "; one of the kernels in flight failed: " + names;
}

std::string Device::memoryText() const {
  size_t free = 0, total = 0;
  if (functions.cuMemGetInfo(&free, &total) != CUDA_SUCCESS)
    return "free memory unknown";
  return std::to_string(free) + " of " + std::to_string(total) +
         " bytes of device memory are free";
}
