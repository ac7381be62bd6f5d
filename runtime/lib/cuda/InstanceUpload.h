//===- InstanceUpload.h - Tensors of instances, on the device ---*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_INSTANCEUPLOAD_H
#define DYNBATCH_LIB_CUDA_INSTANCEUPLOAD_H

#include "core/Arena.h"
#include "core/TensorSlots.h"
#include "cuda/DeviceBuffer.h"
#include "cuda/HostCopies.h"
#include "dynbatch/Runtime/Instances.h"

#include <vector>

namespace dynbatch::rt::cuda {

/// Brings the tensors of a minibatch's instances to the device, in one copy. An
/// InstanceSet may serve several programs at once, so cells that lead to
/// tensors are copied; all others are used where they are.
class InstanceUpload {
public:
  InstanceUpload(Stream &stream, const ModuleDescriptor &descriptor)
      : stream(stream), descriptor(descriptor),
        buffer(stream, "the tensors of the instances"), tensorSlots(descriptor),
        cells(cellCursor, cellEnd, 0, false) {}

  /// Forgets the last minibatch's instances. Returns the argument slots of
  /// [begin, end), with device addresses. The device must be done with the last
  /// minibatch. Needs its Scope.
  Result<const char *> send(const InstanceSet &instances, size_t begin,
                            size_t end);

  const HostCopies &hostCopies() const { return copies; }
  size_t bytes() const { return total; }

private:
  struct Tensor {
    char *slot;
    size_t bytes;
    size_t offset;
  };

  Stream &stream;
  const ModuleDescriptor &descriptor;
  DeviceBuffer buffer;
  PinnedMemory host;
  HostCopies copies;
  TensorSlots tensorSlots;
  std::vector<uint64_t> arguments;
  std::vector<Tensor> tensors;
  size_t total = 0;
  char *cellCursor = nullptr;
  char *cellEnd = nullptr;
  Arena cells;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_INSTANCEUPLOAD_H
