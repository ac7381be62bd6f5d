//===- BatchedValues.cpp - Which values of a kernel are batched -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/BatchedValues.h"

using namespace mlir;
using namespace mlir::dynbatch;

BatchedValues::BatchedValues(KernelOp kernel) {
  values.insert_range(kernel.getArguments());
  for (Operation &op : kernel.getBody().front())
    if (isUsedBy(&op))
      values.insert_range(op.getResults());
}

bool BatchedValues::isUsedBy(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value value) { return contains(value); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
