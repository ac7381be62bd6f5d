//===- TuningKey.h - Kernels with the same code -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_TRANSFORMS_TUNINGKEY_H
#define DYNBATCH_LIB_TRANSFORMS_TUNINGKEY_H

#include "dynbatch/IR/Dynbatch.h"
#include <string>

namespace mlir::dynbatch {

/// The same for kernels with the same code, whatever their names, the names of
/// their parameters and their places in the source.
std::string getTuningKey(KernelOp kernel);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_TRANSFORMS_TUNINGKEY_H
