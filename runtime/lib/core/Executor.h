//===- Executor.h - Where batches run ---------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_EXECUTOR_H
#define DYNBATCH_LIB_CORE_EXECUTOR_H

#include "dynbatch/Runtime/Status.h"

#include <cstdint>

namespace dynbatch::rt {

/// Runs batches on some device. Batches come in an order in which each may use
/// the results of all before it.
class Executor {
public:
  virtual ~Executor() = default;

  /// Runs `count` >= 1 tasks of `kernel`, one a row; returns when their results
  /// are in place, or with the error that ends the minibatch.
  virtual Status run(unsigned kernel, const int64_t *rows, int64_t count) = 0;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_EXECUTOR_H
