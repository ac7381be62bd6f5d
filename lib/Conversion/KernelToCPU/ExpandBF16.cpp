//===- ExpandBF16.cpp - Conversions to and from bf16 ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_EXPANDBF16
#include "dynbatch/Conversion/KernelToCPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;

/// `type` with other elements.
static Type withElements(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(element) : element;
}

/// An f64 as the f32 from which rounding once more gives the nearest bf16: cut
/// off, with the last bit set if it is not exact ("round to odd").
static Value roundToOdd(OpBuilder &builder, Location loc, Value value,
                        Type f32) {
  Type bitsType = withElements(f32, builder.getI32Type());
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getOneAttr(bitsType));
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(builder, loc, bitsType, nearest);
  Value isLarger =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                            math::AbsFOp::create(builder, loc, back),
                            math::AbsFOp::create(builder, loc, value));
  Value isInexact = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ONE, back, value);
  Value cut = arith::SelectOp::create(
      builder, loc, isLarger, arith::SubIOp::create(builder, loc, bits, one),
      bits);
  Value odd = arith::SelectOp::create(
      builder, loc, isInexact, arith::OrIOp::create(builder, loc, cut, one),
      cut);
  return arith::BitcastOp::create(builder, loc, f32, odd);
}

namespace {
struct SplitTruncation : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF64() ||
        !getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not from f64 to bf16");
    Type f32 = withElements(op.getType(), rewriter.getF32Type());
    Value odd = roundToOdd(rewriter, op.getLoc(), op.getIn(), f32);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), odd);
    return success();
  }
};

struct ExpandBF16 : dynbatch::impl::ExpandBF16Base<ExpandBF16> {
  void runOnOperation() override {
    RewritePatternSet split(&getContext()), expand(&getContext());
    split.add<SplitTruncation>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(split));
    arith::populateExpandBFloat16Patterns(expand);
    walkAndApplyPatterns(getOperation(), std::move(expand));
  }
};
} // namespace
