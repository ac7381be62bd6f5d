//===- KernelToCPU.h - Batched kernels to CPU code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_KERNELTOCPU_H
#define DYNBATCH_CONVERSION_KERNELTOCPU_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::dynbatch {

/// Makes the dialect's kernel ops known to one-shot bufferization.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::dynbatch

#endif // DYNBATCH_CONVERSION_KERNELTOCPU_H
