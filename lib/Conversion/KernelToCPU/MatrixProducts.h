//===- MatrixProducts.h - Products of a task's matrices ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOCPU_MATRIXPRODUCTS_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOCPU_MATRIXPRODUCTS_H

#include "PanelMicrokernel.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::dynbatch {

/// Turns contractions on f32 buffers whose right operand varies,
///
///   acc[..., m, n] += left[..., m, k] * right[..., k, n],
///
/// into calls of the microkernel, as far as `n` fills whole panels; the columns
/// behind, and contractions of other forms, are left as they are. All loops but
/// m, n and k become loops around the call, and there may be no m. `getTable`
/// gives memory for the addresses of kMaxTableRows rows.
LogicalResult lowerMatrixProducts(RewriterBase &rewriter, func::FuncOp func,
                                  const RegisterTiles &tiles,
                                  function_ref<Value()> getTable);

/// Rows whose addresses a call of the microkernel gets in one table.
inline constexpr int64_t kMaxTableRows = 96;

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_MATRIXPRODUCTS_H
