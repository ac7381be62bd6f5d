//===- MatrixProducts.cpp - Products of a task's matrices -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProducts.h"
#include "VectorizeRows.h"
#include "dynbatch/Analysis/Contractions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

namespace {
/// acc[..., m, n] += left[..., m, k] * right[..., k, n]; numbers of operands
/// and of loops.
struct MatrixProduct {
  unsigned left, right;
  std::optional<unsigned> m;
  unsigned n, k;
};
} // namespace

static std::optional<unsigned> getDim(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  return {};
}

static std::optional<MatrixProduct> matchProduct(LinalgOp op) {
  if (!op.hasPureBufferSemantics() || !isPlainContraction(op) ||
      op.getNumReductionLoops() != 1)
    return {};
  for (Value operand : op->getOperands()) {
    auto type = cast<MemRefType>(operand.getType());
    if (!type.getElementType().isF32() || type.getRank() == 0 ||
        !type.isLastDimUnitStride())
      return {};
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MatrixProduct product;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      product.k = loop;
  product.n = *getDim(maps[2].getResults().back());
  auto endsWith = [&](unsigned operand, unsigned loop) {
    return getDim(maps[operand].getResults().back()) == loop;
  };
  product.right = endsWith(0, product.n) ? 0 : 1;
  product.left = 1 - product.right;
  AffineMap left = maps[product.left], right = maps[product.right];
  if (!endsWith(product.right, product.n) ||
      !endsWith(product.left, product.k) || !right.isFunctionOfDim(product.k) ||
      left.isFunctionOfDim(product.n))
    return {};
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (size != 1 && left.isFunctionOfDim(loop) &&
        maps[2].isFunctionOfDim(loop) && !right.isFunctionOfDim(loop))
      product.m = loop;
  return product;
}

/// The part of `op` with whole panels; the rest stays behind it.
static LinalgOp splitPanels(RewriterBase &rewriter, LinalgOp op, unsigned n,
                            int64_t whole) {
  if (whole == op.getStaticLoopRanges()[n])
    return op;
  rewriter.setInsertionPoint(op);
  auto [first, rest] =
      linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()), n,
                      rewriter.getIndexAttr(whole));
  return cast<LinalgOp>(first.getOperation());
}

/// `op` inside of loops, so that only m, n and k are left, and not too large an
/// m.
static FailureOr<LinalgOp> tileToProduct(RewriterBase &rewriter, LinalgOp op,
                                         const MatrixProduct &product) {
  SmallVector<OpFoldResult> sizes;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges())) {
    int64_t tile = loop == product.n || loop == product.k ? 0
                   : loop == product.m                    ? kMaxTableRows
                                                          : 1;
    bool whole = ShapedType::isStatic(size) && size <= tile;
    sizes.push_back(rewriter.getIndexAttr(whole ? 0 : tile));
  }
  return tileInLoops(rewriter, op, sizes);
}

namespace {
/// Where the elements of an operand are, and how far apart along a loop.
struct OperandView {
  /// The stride is none if the operand does not move with `loop`.
  OperandView(OpBuilder &builder, LinalgOp op, unsigned operand,
              std::optional<unsigned> loop) {
    Location loc = op.getLoc();
    Value buffer = op->getOperand(operand);
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    size = arith::ConstantIndexOp::create(builder, loc, sizeof(float));
    Value base =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    start = arith::AddIOp::create(
        builder, loc, base,
        arith::MulIOp::create(builder, loc, metadata.getOffset(), size));
    for (auto [i, result] : llvm::enumerate(map.getResults()))
      if (loop && getDim(result) == loop) {
        stride = metadata.getStrides()[i];
        count = memref::DimOp::create(builder, loc, buffer, i);
      }
  }

  /// The address of element `position` along the loop (i64).
  Value getAddress(OpBuilder &builder, Location loc, Value position) const {
    Value address = start;
    if (stride) {
      Value distance = arith::MulIOp::create(builder, loc, position, stride);
      address = arith::AddIOp::create(
          builder, loc, address,
          arith::MulIOp::create(builder, loc, distance, size));
    }
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      address);
  }

  Value start;  ///< address of the first element (index)
  Value stride; ///< elements (index)
  Value count;  ///< iterations of the loop (index)
  Value size;   ///< bytes of an element (index)
};
} // namespace

/// Erases what fills the output of `op` with zeros right before it; whether
/// there is such a fill.
static bool eraseZeroFill(RewriterBase &rewriter, LinalgOp op) {
  Value output = op.getDpsInits().front();
  for (Operation *previous = op->getPrevNode(); previous;
       previous = previous->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(previous);
    if (fill && fill.getOutputs().front() == output &&
        matchPattern(fill.getInputs().front(), m_PosZeroFloat())) {
      rewriter.eraseOp(fill);
      return true;
    }
    if (!isMemoryEffectFree(previous))
      return false;
  }
  return false;
}

static void callMicrokernel(RewriterBase &rewriter, LinalgOp op,
                            const MatrixProduct &product, func::FuncOp callee,
                            bool fromZero, Value table) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto ptr = LLVM::LLVMPointerType::get(rewriter.getContext());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  OperandView left(rewriter, op, product.left, product.m);
  OperandView right(rewriter, op, product.right, product.k);
  OperandView acc(rewriter, op, /*operand=*/2, product.m);
  Value zero = constant(0), one = constant(1);
  Value count = left.count ? left.count : one;

  auto fill = scf::ForOp::create(rewriter, loc, zero, count, one);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(fill.getBody());
    Value row = fill.getInductionVar();
    Value position =
        arith::IndexCastOp::create(rewriter, loc, rewriter.getI64Type(), row);
    Value slot = LLVM::GEPOp::create(rewriter, loc, ptr, rewriter.getI64Type(),
                                     table, ArrayRef<LLVM::GEPArg>{position});
    LLVM::StoreOp::create(rewriter, loc, left.getAddress(rewriter, loc, row),
                          slot);
  }
  auto pointer = [&](const OperandView &view) -> Value {
    return LLVM::IntToPtrOp::create(rewriter, loc, ptr,
                                    view.getAddress(rewriter, loc, zero));
  };
  Value accStride = acc.stride ? acc.stride : zero;
  func::CallOp::create(rewriter, loc, callee,
                       ValueRange{table, count, pointer(right), pointer(acc),
                                  accStride, constant(ranges[product.k]),
                                  constant(ranges[product.n]), right.stride,
                                  arith::ConstantIntOp::create(
                                      rewriter, loc, fromZero, /*width=*/1)});
  rewriter.eraseOp(op);
}

LogicalResult
mlir::dynbatch::lowerMatrixProducts(RewriterBase &rewriter, func::FuncOp func,
                                    const RegisterTiles &tiles,
                                    function_ref<Value()> getTable) {
  SmallVector<std::pair<LinalgOp, MatrixProduct>> products;
  func.walk([&](LinalgOp op) {
    if (std::optional<MatrixProduct> product = matchProduct(op))
      products.emplace_back(op, *product);
  });
  for (auto &[op, product] : products) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    int64_t width = tiles.getPanelWidth();
    int64_t n = ranges[product.n];
    if (ShapedType::isDynamic(n) || ShapedType::isDynamic(ranges[product.k]) ||
        n < width)
      continue;
    // A rest behind the panels needs the zeros, too.
    bool fromZero = n % width == 0 && eraseZeroFill(rewriter, op);
    FailureOr<LinalgOp> tiled = tileToProduct(
        rewriter, splitPanels(rewriter, op, product.n, n / width * width),
        product);
    if (failed(tiled))
      return failure();
    callMicrokernel(rewriter, *tiled, product,
                    getRowMatmul(func->getParentOfType<ModuleOp>(), tiles),
                    fromZero, getTable());
  }
  return success();
}
