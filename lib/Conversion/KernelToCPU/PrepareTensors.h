//===- PrepareTensors.h - Simpler tensor ops before bufferization -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PREPARETENSORS_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PREPARETENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::dynbatch {

/// Replaces ops that neither bufferization nor vectorization knows, such as
/// linalg.softmax, linalg.pack, tensor.concat and tensor.pad, by simpler ones.
LogicalResult decomposeOps(Operation *root);

/// Replaces gathers and scatters of several rows by loops over single rows.
void expandToRows(RewriterBase &rewriter, func::FuncOp func);

/// Replaces copies of buffers by linalg.copy; drops those of a buffer onto
/// itself.
void copiesToLinalg(RewriterBase &rewriter, Operation *root);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PREPARETENSORS_H
