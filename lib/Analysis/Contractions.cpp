//===- Contractions.cpp - Sums of products ----------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/Contractions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using linalg::LinalgOp;

/// `value` before it was extended to a wider float type, if it was.
static Value skipExtension(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension ? extension.getIn() : value;
}

/// Whether {`first`, `second`} are {`a`, `b`}, in either order.
static bool arePair(Value first, Value second, Value a, Value b) {
  return (first == a && second == b) || (first == b && second == a);
}

bool mlir::dynbatch::isPlainContraction(LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1)
    return false;
  Block *body = op.getBlock();
  auto sum =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value acc = body->getArgument(2);
  auto product = (sum.getLhs() == acc ? sum.getRhs() : sum.getLhs())
                     .getDefiningOp<arith::MulFOp>();
  return product &&
         arePair(sum.getLhs(), sum.getRhs(), acc, product.getResult()) &&
         arePair(skipExtension(product.getLhs()),
                 skipExtension(product.getRhs()), body->getArgument(0),
                 body->getArgument(1));
}
