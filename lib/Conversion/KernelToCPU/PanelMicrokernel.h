//===- PanelMicrokernel.h - Contraction of rows with packed panels -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PANELMICROKERNEL_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PANELMICROKERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::dynbatch {

/// The register tiles of a target, all in terms of f32.
class RegisterTiles {
public:
  explicit RegisterTiles(int64_t vectorBits);

  /// Columns of a panel: two vectors.
  int64_t getPanelWidth() const { return panelWidth; }
  /// Most rows of a register tile.
  int64_t getMaxRows() const { return maxRows; }
  /// Panels that a tile of `rows` rows spans: more for few rows, so that enough
  /// independent chains of multiply-adds are in flight.
  int64_t getPanels(int64_t rows) const;

private:
  int64_t panelWidth, maxRows, registers;
};

/// The function
///
///   (rows: !llvm.ptr, m: index, weights: !llvm.ptr, acc: !llvm.ptr,
///    stride: index, k: index, n: index) -> ()
///
/// that adds the product of `m` rows of `k` elements, given by a table of their
/// addresses (i64), and weights packed into panels (`dynbatch.panel_matmul`) to
/// `acc`, an `m x n` matrix whose rows are `stride` elements apart. The
/// elements of the weights are `weights` (f32, f16, bf16), all others f32. Made
/// on first use, shared by all kernels of the module.
func::FuncOp getPanelMatmul(ModuleOp module, const RegisterTiles &tiles,
                            Type weights);

/// The same for weights that are a `k x n` matrix, whose rows are `distance`
/// elements apart. This distance is one argument (index) more; another one (i1)
/// says that sums start from zero, not from what `acc` holds. `n` must be a
/// multiple of the width of a panel.
func::FuncOp getRowMatmul(ModuleOp module, const RegisterTiles &tiles);

/// Asks the cache for the lines of `bytes` bytes from `start` (!llvm.ptr) on:
/// for the first-level cache with `hint` 3, for the second-level one with 2.
void prefetchLines(OpBuilder &builder, Location loc, Value start, int64_t bytes,
                   unsigned hint);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PANELMICROKERNEL_H
