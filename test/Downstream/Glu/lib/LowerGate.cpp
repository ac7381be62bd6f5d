//===- LowerGate.cpp - glu.gate to linalg -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Glu/Glu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace {
struct LowerGate : OpRewritePattern<glu::GateOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(glu::GateOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, op.getInput());
    sizes.back() = rewriter.getIndexAttr(type.getShape().back());
    SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
    auto slice = [&](int64_t offset) -> Value {
      offsets.back() = rewriter.getIndexAttr(offset);
      return tensor::ExtractSliceOp::create(rewriter, loc, type, op.getInput(),
                                            offsets, sizes, strides);
    };
    Value value = slice(0), gate = slice(type.getShape().back());
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    SmallVector<AffineMap> maps(
        3, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange{value, gate}, empty, maps, iterators,
        [](OpBuilder &body, Location loc, ValueRange args) {
          Value one = arith::ConstantOp::create(
              body, loc, body.getFloatAttr(args[0].getType(), 1.0));
          Value negated = arith::NegFOp::create(body, loc, args[1]);
          Value exp = math::ExpOp::create(body, loc, negated);
          Value sum = arith::AddFOp::create(body, loc, exp, one);
          Value product = arith::DivFOp::create(body, loc, args[0], sum);
          linalg::YieldOp::create(body, loc, product);
        });
    return success();
  }
};

struct LowerGatePass : PassWrapper<LowerGatePass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerGatePass)
  StringRef getArgument() const override { return "glu-lower-gate"; }
  StringRef getDescription() const override {
    return "Lower glu.gate to linalg";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerGate>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

std::unique_ptr<Pass> glu::createLowerGatePass() {
  return std::make_unique<LowerGatePass>();
}

void glu::registerPasses() { registerPass(createLowerGatePass); }
