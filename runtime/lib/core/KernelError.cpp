//===- KernelError.cpp - Errors inside of kernels ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/KernelError.h"

#include <utility>

using namespace dynbatch::rt;

static thread_local Status pendingError = Status::success();

void dynbatch::rt::reportKernelError(std::string message) {
  if (!hasKernelError())
    pendingError = Status::error(std::move(message));
}

bool dynbatch::rt::hasKernelError() { return !pendingError.ok(); }

Status dynbatch::rt::takeKernelError() {
  return std::exchange(pendingError, Status::success());
}
