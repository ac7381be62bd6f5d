//===- ParameterStorage.h - What a ParameterSet holds -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_PARAMETERSTORAGE_H
#define DYNBATCH_LIB_LOADERS_PARAMETERSTORAGE_H

#include "core/VirtualMemory.h"
#include "dynbatch/Runtime/Parameters.h"
#include "loaders/MappedFile.h"

#include <vector>

namespace dynbatch::rt {

struct ParameterSet::Storage {
  std::vector<void *> addresses;
  std::vector<PageBlock> owned;
  MappedFile file; ///< tensors used in place

  /// Storage for the next parameter; null if there is no memory.
  void *add(const Type &type);
  /// Uses `data` as the next parameter, or a copy if it is not tensor aligned.
  Status place(const Parameter &param, const void *data);
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_PARAMETERSTORAGE_H
