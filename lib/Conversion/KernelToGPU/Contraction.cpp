//===- Contraction.cpp - Contractions that are tiled -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "dynbatch/Analysis/Contractions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

/// Rows from which on tensor cores are used; they compute 16 at once.
static constexpr int64_t kMinTensorCoreRows = 8;

/// The dimensions of an operand as dimensions of the result.
static Factor getFactor(LinalgOp op, OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  AffineMap out = op.getIndexingMapMatchingResult(op->getResult(0));
  Factor factor{operand->get(), {}};
  for (AffineExpr expr : map.getResults()) {
    std::optional<unsigned> dim = out.getResultPosition(expr);
    factor.dims.push_back(dim ? static_cast<int64_t>(*dim) : Factor::kSummed);
  }
  return factor;
}

/// Adds `product`, or, where the rows are a concatenation of shorter ones, a
/// product for each piece, in the same order.
static void addProducts(const Product &product,
                        SmallVectorImpl<Product> &products) {
  int64_t summed = product.rows.getSummedDim();
  auto concat = product.rows.value.getDefiningOp<tensor::ConcatOp>();
  if (!concat || static_cast<int64_t>(concat.getDim()) != summed) {
    products.push_back(product);
    return;
  }
  int64_t first = product.first;
  for (Value piece : concat.getInputs()) {
    Product part = product;
    part.rows.value = piece;
    part.first = first;
    part.depth = cast<RankedTensorType>(piece.getType()).getDimSize(summed);
    first += part.depth;
    addProducts(part, products);
  }
}

bool Contraction::suitsTensorCores() const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result.getType()).getShape();
  int64_t numRows = 1;
  for (int64_t dim : rows) {
    if (ShapedType::isDynamic(shape[dim]))
      return shape.back() % 2 == 0;
    numRows *= shape[dim];
  }
  return numRows >= kMinTensorCoreRows && shape.back() % 2 == 0;
}

std::optional<Contraction> mlir::dynbatch::matchContraction(LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !isPlainContraction(op) ||
      op.getNumReductionLoops() != 1)
    return {};
  Type elementType = getElementTypeOrSelf(op.getDpsInputs().front());
  if (!elementType.isF32() && !elementType.isF16() && !elementType.isBF16())
    return {};
  if (getElementTypeOrSelf(op.getDpsInputs().back()) != elementType ||
      !getElementTypeOrSelf(op->getResult(0)).isF32())
    return {};
  if (!llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  Product product{getFactor(op, op.getDpsInputOperand(0)),
                  getFactor(op, op.getDpsInputOperand(1)), 0};
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t column = type.getRank() - 1;
  if (column < 1)
    return {};
  if (llvm::is_contained(product.rows.dims, column))
    std::swap(product.rows, product.columns);
  if (llvm::is_contained(product.rows.dims, column) ||
      !llvm::is_contained(product.columns.dims, column) ||
      !llvm::is_contained(product.rows.dims, Factor::kSummed) ||
      !llvm::is_contained(product.columns.dims, Factor::kSummed))
    return {};

  Contraction contraction;
  contraction.elementType = elementType;
  contraction.result = op->getResult(0);
  contraction.init = op.getDpsInits().front();
  for (int64_t dim = 0; dim < column; ++dim)
    (llvm::is_contained(product.columns.dims, dim) ? contraction.outer
                                                   : contraction.rows)
        .push_back(dim);
  if (contraction.rows.empty() ||
      (!elementType.isF32() && !contraction.suitsTensorCores()))
    return {};
  product.depth = cast<RankedTensorType>(product.rows.value.getType())
                      .getDimSize(product.rows.getSummedDim());
  addProducts(product, contraction.products);
  return contraction;
}
