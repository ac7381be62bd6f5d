//===- DeviceParameters.h - Parameters in device memory ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_DEVICEPARAMETERS_H
#define DYNBATCH_LIB_CUDA_DEVICEPARAMETERS_H

#include "cuda/HostCopies.h"
#include "cuda/Stream.h"
#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Parameters.h"

#include <vector>

namespace dynbatch::rt::cuda {

/// All parameters of a program and an array of their addresses, in one block of
/// device memory.
class DeviceParameters {
public:
  /// Copies them, which must live as long as this; waits until that is done.
  /// Needs the device's Scope.
  Status place(Stream &stream, const ModuleDescriptor &descriptor,
               const ParameterSet &params);

  /// For host code: device addresses.
  void *const *addresses() const { return pointers.data(); }
  /// The same array on the device.
  CUdeviceptr table() const { return memory.address(); }
  const HostCopies &hostCopies() const { return copies; }

private:
  DeviceMemory memory;
  std::vector<void *> pointers;
  HostCopies copies;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_DEVICEPARAMETERS_H
