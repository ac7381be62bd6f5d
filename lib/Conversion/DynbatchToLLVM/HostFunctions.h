//===- HostFunctions.h - Which functions are host code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_HOSTFUNCTIONS_H
#define DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_HOSTFUNCTIONS_H

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::dynbatch {

/// Functions with a body that are neither implementations of kernels nor called
/// by those alone. The prologue is one of them.
SmallVector<func::FuncOp> getHostFunctions(ModuleOp module);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_DYNBATCHTOLLVM_HOSTFUNCTIONS_H
