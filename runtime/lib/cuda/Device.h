//===- Device.h - A GPU -----------------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_DEVICE_H
#define DYNBATCH_LIB_CUDA_DEVICE_H

#include "cuda/Driver.h"
#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dynbatch::rt::cuda {

/// A GPU and the process's primary context on it, with everything that an error
/// message about it needs to know.
class Device {
public:
  struct Limits {
    int grid[3] = {};
    int block[3] = {};
    int threads = 0;     ///< of a block
    int sharedBytes = 0; ///< of a block
  };

  static Result<std::unique_ptr<Device>> open(int ordinal);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  ~Device();

  /// While it lives, the context is this thread's current one.
  class Scope {
  public:
    explicit Scope(const Device &device) : driver(device.functions) {
      driver.cuCtxPushCurrent(device.context);
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope() {
      CUcontext context;
      driver.cuCtxPopCurrent(&context);
    }

  private:
    const Driver &driver;
  };

  const Driver &driver() const { return functions; }
  const Limits &limits() const { return maximum; }

  /// An error if the context was lost before.
  Status usable() const;
  /// What to say about the result of `call`.
  Status check(CUresult result, const std::string &call);
  /// The same, without words for the good case.
  Status check(CUresult result, const char *call) {
    return result == CUDA_SUCCESS ? Status::success()
                                  : check(result, std::string(call));
  }
  /// "F of T bytes of device memory are free".
  std::string memoryText() const;

  /// A kernel of the context was launched: errors of the device come up later,
  /// in whatever call. Both texts must stay.
  void launched(const char *kernel, const char *location) {
    launches.push_back({kernel, location});
  }
  /// All that were launched have ended well.
  void idle() { launches.clear(); }

private:
  struct Launch {
    const char *kernel, *location;
  };

  Device(const Driver &driver, int ordinal)
      : functions(driver), ordinal(ordinal) {}
  Status enter();
  std::string launchesText() const;

  const Driver functions;
  int ordinal;
  CUdevice handle = 0;
  CUcontext context = nullptr;
  Limits maximum;
  std::vector<Launch> launches;
  std::string lostBy; ///< the error; empty: not lost
};

/// `'kernel' (file:line:column)`.
std::string kernelText(const char *kernel, const char *location);

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_DEVICE_H
