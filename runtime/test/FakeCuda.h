//===- FakeCuda.h - A CUDA driver without a GPU -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TEST_FAKECUDA_H
#define DYNBATCH_TEST_FAKECUDA_H

#include "cuda/DriverTypes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dynbatch::rt::test {

/// A launch as a fake kernel sees it.
struct FakeLaunch {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  const uint64_t *arguments;
  uint64_t distance; ///< from device addresses to where the memory really is

  /// Where the memory really is that the device has at `address`.
  template <typename T> T *at(uint64_t address) const {
    return reinterpret_cast<T *>(address + distance);
  }
  template <typename T> T *argument(int index) const {
    return at<T>(arguments[index]);
  }
};

using FakeKernel = void (*)(const FakeLaunch &launch);

/// What tests know of the driver in libDynbatchFakeCuda: it implements the
/// driver's functions over host memory. Device addresses are such that host
/// code that looks there ends with SIGSEGV. What is asynchronous happens as
/// late as it may: when the host waits for it. In a program that knows nothing
/// of all this, kernels do nothing, and the file that the environment variable
/// DYNBATCH_FAKE_CUDA_LOG names receives the calls, the leaks and the
/// violations.
class FakeCuda {
public:
  /// The one of this process.
  static FakeCuda &get();
  /// Path of the library.
  static const char *path();

  /// As new: one device with 256 MiB.
  virtual void reset() = 0;
  virtual void setDevices(int count) = 0;
  virtual void setMemory(size_t bytes) = 0;

  /// What `.entry name` in an image stands for; its arguments have 8 bytes.
  virtual void addKernel(const char *name, int arguments,
                         FakeKernel kernel) = 0;
  /// From now on the kernel fails when it runs, and the context is lost.
  virtual void failKernel(const char *name, int error) = 0;
  /// The call number `call`, from 1 on, of a function fails.
  virtual void failCall(const char *function, int call, int error) = 0;
  /// Has it?
  virtual bool hasFailed() const = 0;

  /// Names of all functions called since the last call of this, without those
  /// that ask and those that make contexts current. Launches have the kernel's
  /// name too: `cuLaunchKernel add`.
  virtual std::vector<std::string> takeCalls() = 0;
  /// Bytes and texts of what has not been given back.
  virtual std::vector<std::string> leaks() const = 0;
  /// What a real driver might not have found out.
  virtual std::vector<std::string> violations() const = 0;

protected:
  ~FakeCuda() = default;
};

} // namespace dynbatch::rt::test

#endif // DYNBATCH_TEST_FAKECUDA_H
