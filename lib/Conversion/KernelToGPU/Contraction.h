//===- Contraction.h - Contractions that are tiled -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_CONTRACTION_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::dynbatch {

/// A tensor that a contraction multiplies. Each of its dimensions is one of the
/// result's, given by number, or the one that is summed over.
struct Factor {
  static constexpr int64_t kSummed = -1;

  int64_t getSummedDim() const {
    return llvm::find(dims, kSummed) - dims.begin();
  }

  Value value;
  SmallVector<int64_t> dims;
};

/// One product that is added to the accumulator.
struct Product {
  Factor rows, columns;
  int64_t depth;     ///< terms of each sum
  int64_t first = 0; ///< where they begin in the columns
};

/// acc[outer..., rows..., column] = init + sum over k of
/// rows[outer..., rows..., k] * columns[outer..., k, column], for one or more
/// pairs of factors. The last dimension of the result is that of the columns,
/// the others are split into those of the rows and outer ones, which have a
/// product of their own for each position. One of them is the batch dimension.
struct Contraction {
  /// Whether the product of `other` can be added to this accumulator: it starts
  /// from the result.
  bool canAppend(const Contraction &other) const {
    return other.outer == outer && other.rows == rows &&
           other.elementType == elementType;
  }
  /// Whether the result has enough rows to fill a good part of what tensor
  /// cores compute at once, and columns in pairs.
  bool suitsTensorCores() const;

  Value result, init;
  Type elementType;                 ///< of the factors; the result is f32
  SmallVector<int64_t> outer, rows; ///< dimensions of the result
  SmallVector<Product> products;
};

/// Recognizes a contraction of f32 elements that tiles suit: with rows, columns
/// and one dimension that is summed over.
std::optional<Contraction> matchContraction(linalg::LinalgOp op);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_CONTRACTION_H
