//===- VectorizeRows.h - Vector code for ops on single rows -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOCPU_VECTORIZEROWS_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOCPU_VECTORIZEROWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::dynbatch {

/// `op` in loops around tiles of `sizes`, one for each of its loops; those of
/// size 0 stay whole. An error if that cannot be done.
FailureOr<linalg::LinalgOp> tileInLoops(RewriterBase &rewriter,
                                        linalg::LinalgOp op,
                                        ArrayRef<OpFoldResult> sizes);

/// Lets linalg ops on tensors that reduce along all vector lanes do so at the
/// end only, with a partial result for each of the `lanes` until then.
void splitReductions(RewriterBase &rewriter, FunctionOpInterface func,
                     int64_t lanes);

/// Turns linalg ops on buffers into vector code, `lanes` elements at a time
/// along a loop in which all operands are contiguous, with a shorter vector for
/// what is left over; ops without such a loop become scalar loops. Then
/// replaces transcendental functions by polynomial approximations.
LogicalResult vectorizeRows(FunctionOpInterface func, int64_t lanes);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_VECTORIZEROWS_H
