//===- ResultFetch.h - Tensors of results, to the host ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_RESULTFETCH_H
#define DYNBATCH_LIB_CUDA_RESULTFETCH_H

#include "core/TensorSlots.h"
#include "cuda/Gather.h"

#include <unordered_set>

namespace dynbatch::rt::cuda {

/// Finds the tensors in the results of a minibatch.
class ResultFetch {
public:
  explicit ResultFetch(const ModuleDescriptor &descriptor)
      : descriptor(descriptor), tensorSlots(descriptor) {}

  /// Asks `gather` for the tensors that `count` instances' result slots lead
  /// to; their slots are the places that get host addresses. Where `hostCopy`
  /// of a device address is not null they get that at once.
  template <typename HostCopy>
  void collect(char *slots, size_t count, HostCopy hostCopy, Gather &gather);

private:
  const ModuleDescriptor &descriptor;
  TensorSlots tensorSlots;
  std::unordered_set<char *> visited; ///< values may share cells
};

template <typename HostCopy>
void ResultFetch::collect(char *slots, size_t count, HostCopy hostCopy,
                          Gather &gather) {
  if (!tensorSlots.in(descriptor.results))
    return;
  visited.clear();
  for (size_t i = 0; i < count; ++i)
    tensorSlots.walk(
        descriptor.results, slots + i * descriptor.results.bytes,
        [&](const Type &type, char *slot) {
          int64_t address;
          std::memcpy(&address, slot, sizeof(address));
          if (const void *copy = hostCopy(address))
            std::memcpy(slot, &copy, sizeof(copy));
          else
            gather.add(address, type.dataBytes(), slot);
        },
        [&](char *cell, size_t) {
          return visited.insert(cell).second ? cell : nullptr;
        });
}

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_RESULTFETCH_H
