//===- KernelError.h - Errors inside of kernels -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_KERNELERROR_H
#define DYNBATCH_LIB_CORE_KERNELERROR_H

#include "dynbatch/Runtime/Status.h"

#include <string>

namespace dynbatch::rt {

/// Kernels have no result and no context. What goes wrong in one is kept for
/// the executor that called it on this thread; the first error counts.
void reportKernelError(std::string message);
/// Whether there is an error that nobody has taken.
bool hasKernelError();
/// The error since the last call, if any.
Status takeKernelError();

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_KERNELERROR_H
