//===- Widening.cpp - Tensors of f16 and bf16 as f32 ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Widening.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

bool mlir::dynbatch::isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

Value mlir::dynbatch::widen(OpBuilder &builder, Location loc, Value narrow,
                            ValueRange dynamicSizes) {
  auto type = cast<RankedTensorType>(narrow.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, type.clone(builder.getF32Type()), dynamicSizes);
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), narrow, empty, ArrayRef{map, map},
             iterators,
             [](OpBuilder &body, Location loc, ValueRange args) {
               Value wide =
                   arith::ExtFOp::create(body, loc, args[1].getType(), args[0]);
               linalg::YieldOp::create(body, loc, wide);
             })
      .getResult(0);
}
