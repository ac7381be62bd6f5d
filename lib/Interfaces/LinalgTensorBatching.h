//===- LinalgTensorBatching.h - Registration of batching models -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_INTERFACES_LINALGTENSORBATCHING_H
#define DYNBATCH_LIB_INTERFACES_LINALGTENSORBATCHING_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::dynbatch::detail {
void registerLinalgBatching(DialectRegistry &registry);
void registerTensorBatching(DialectRegistry &registry);
} // namespace mlir::dynbatch::detail

#endif // DYNBATCH_LIB_INTERFACES_LINALGTENSORBATCHING_H
