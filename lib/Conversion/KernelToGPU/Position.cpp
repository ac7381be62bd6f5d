//===- Position.cpp - Positions of elements -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Position.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::dynbatch;

static Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value mlir::dynbatch::materialize(OpBuilder &builder, Location loc,
                                  Position position) {
  if (position.isConstant())
    return createIndex(builder, loc, position.offset);
  if (position.offset == 0)
    return position.value;
  return arith::AddIOp::create(builder, loc, position.value,
                               createIndex(builder, loc, position.offset));
}

Position mlir::dynbatch::linearize(OpBuilder &builder, Location loc,
                                   ArrayRef<Position> positions,
                                   ArrayRef<int64_t> sizes) {
  Position sum = 0;
  for (auto [position, size] : llvm::zip_equal(positions, sizes)) {
    if (size == 1)
      continue;
    if (sum.isConstant()) {
      sum = position + sum.offset * size;
      continue;
    }
    Value scaled =
        arith::MulIOp::create(builder, loc, materialize(builder, loc, sum),
                              createIndex(builder, loc, size));
    if (!position.isConstant())
      scaled = arith::AddIOp::create(builder, loc, scaled, position.value);
    sum = {scaled, position.offset};
  }
  return sum;
}

Positions mlir::dynbatch::delinearize(OpBuilder &builder, Location loc,
                                      Position position,
                                      ArrayRef<int64_t> sizes) {
  Positions positions(sizes.size(), Position(0));
  SmallVector<unsigned> dims;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size != 1)
      dims.push_back(dim);
  while (dims.size() > 1) {
    unsigned dim = dims.pop_back_val();
    int64_t size = sizes[dim];
    if (position.isConstant()) {
      positions[dim] = position.offset % size;
      position = position.offset / size;
      continue;
    }
    Value value = materialize(builder, loc, position);
    Value divisor = createIndex(builder, loc, size);
    positions[dim] =
        arith::RemUIOp::create(builder, loc, value, divisor).getResult();
    position = arith::DivUIOp::create(builder, loc, value, divisor).getResult();
  }
  if (!dims.empty())
    positions[dims.front()] = position;
  return positions;
}
