//===- Objects.h - What is behind the C API -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CAPI_OBJECTS_H
#define DYNBATCH_LIB_CAPI_OBJECTS_H

#include "dynbatch-c/Runtime.h"
#include "dynbatch/Runtime/Module.h"

#include <memory>
#include <string>

struct DynbatchError {
  std::string message;
};

/// Shared by the module's handle and all that is made of it.
struct DynbatchCode {
  std::shared_ptr<const void> owner; ///< of the machine code; may be null
  dynbatch::rt::Module module;
};

struct DynbatchModule {
  std::shared_ptr<const DynbatchCode> code;
};

/// Null for success.
inline DynbatchError *toError(const dynbatch::rt::Status &status) {
  return status.ok() ? nullptr : new DynbatchError{status.message()};
}

#endif // DYNBATCH_LIB_CAPI_OBJECTS_H
