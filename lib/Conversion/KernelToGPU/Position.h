//===- Position.h - Positions of elements -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_POSITION_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_POSITION_H

#include "mlir/IR/Builders.h"

namespace mlir::dynbatch {

/// A position in one dimension of a tensor: a value (index) plus a constant.
/// The constant is kept apart so that neighbours are known to be such.
struct Position {
  Position() = default;
  Position(int64_t offset) : offset(offset) {}
  Position(Value value, int64_t offset = 0) : value(value), offset(offset) {}

  Position operator+(int64_t distance) const {
    Position sum = *this;
    sum.offset += distance;
    return sum;
  }
  bool isConstant() const { return !value; }

  Value value; ///< null for a constant
  int64_t offset = 0;
};

/// Position of an element in all dimensions of a tensor.
using Positions = SmallVector<Position, 4>;

/// The position as an index value.
Value materialize(OpBuilder &builder, Location loc, Position position);

/// Position of the element at `positions` in row-major order. Dimensions of
/// size 1 do not count; the first size that counts may be dynamic.
Position linearize(OpBuilder &builder, Location loc,
                   ArrayRef<Position> positions, ArrayRef<int64_t> sizes);

/// The inverse of `linearize`.
Positions delinearize(OpBuilder &builder, Location loc, Position position,
                      ArrayRef<int64_t> sizes);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_POSITION_H
