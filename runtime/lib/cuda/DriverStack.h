//===- DriverStack.h - A stack for calls of the driver ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_DRIVERSTACK_H
#define DYNBATCH_LIB_CUDA_DRIVERSTACK_H

#include "core/HostStack.h"

#include <memory>
#include <utility>

namespace dynbatch::rt::cuda {

/// Host code may ask for something when its own stack is nearly used up; nobody
/// knows how much the driver needs.
class DriverStack {
public:
  explicit DriverStack(std::unique_ptr<HostStack> stack)
      : stack(std::move(stack)) {}

  /// Calls `function()` on the stack.
  template <typename Function> void run(Function function) {
    stack->start([](void *argument) { (*static_cast<Function *>(argument))(); },
                 &function);
  }

private:
  std::unique_ptr<HostStack> stack;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_DRIVERSTACK_H
