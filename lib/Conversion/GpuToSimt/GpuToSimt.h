//===- GpuToSimt.h - Steps of the conversion to SIMT code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_GPUTOSIMT_GPUTOSIMT_H
#define DYNBATCH_LIB_CONVERSION_GPUTOSIMT_GPUTOSIMT_H

#include "SimtCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dynbatch {

/// Breaks ops of the kernels in `module` down to what the following steps know:
/// reductions to shuffles, transfers, masked accesses and copies to loads and
/// stores of scalars and vectors.
void expandKernelOps(gpu::GPUModuleOp module);

/// Rewrites ops of the GPU dialects in a kernel that is a host function already
/// and has the thread as its first argument. Fails with an error for ops that
/// have no meaning here.
LogicalResult convertThreadOps(func::FuncOp func, SimtCalls &calls,
                               int64_t staticBytes);

/// Checks every access of memory before it is made.
LogicalResult insertAccessChecks(func::FuncOp func, SimtCalls &calls);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_GPUTOSIMT_GPUTOSIMT_H
