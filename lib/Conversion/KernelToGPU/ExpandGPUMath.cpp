//===- ExpandGPUMath.cpp - Math ops without a device library -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_EXPANDGPUMATH
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;

/// Composite functions, in terms of those below.
static const StringRef kComposite[] = {"sinh",  "cosh",  "tan",  "asinh",
                                       "acosh", "atanh", "exp2", "powf",
                                       "fpowi", "rsqrt", "cbrt"};

namespace {
/// An op on scalars that LLVM has an intrinsic for. It is called by name: the
/// conversion to NVVM takes some of the ops for intrinsics for functions of the
/// library.
template <typename OpTy> struct ToIntrinsic : OpRewritePattern<OpTy> {
  ToIntrinsic(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<OpTy>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, "not on scalars");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(intrinsic), op->getOperands());
    return success();
  }

private:
  StringRef intrinsic;
};

/// A test of the absolute value against infinity, false for what is no number.
template <typename OpTy, arith::CmpFPredicate predicate>
struct ToComparison : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "not on scalars");
    Location loc = op.getLoc();
    Value absolute = math::AbsFOp::create(rewriter, loc, op.getOperand());
    Value infinity = arith::ConstantOp::create(
        rewriter, loc,
        FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics())));
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, predicate, absolute,
                                               infinity);
    return success();
  }
};

struct IsNaNToComparison : OpRewritePattern<math::IsNaNOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IsNaNOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(
        op, arith::CmpFPredicate::UNO, op.getOperand(), op.getOperand());
    return success();
  }
};

struct ExpandGPUMath : dynbatch::impl::ExpandGPUMathBase<ExpandGPUMath> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Functions of smaller floats are computed in f32.
    Type f32 = Float32Type::get(context);
    SetVector<Type> supported;
    supported.insert_range(ArrayRef<Type>{f32, Float64Type::get(context)});
    TypeConverter converter;
    math::populateExtendToSupportedTypesTypeConverter(converter, supported,
                                                      f32);
    ConversionTarget target(*context);
    math::populateExtendToSupportedTypesConversionTarget(target, converter);
    RewritePatternSet extend(context);
    math::populateExtendToSupportedTypesPatterns(extend, converter);
    if (failed(
            applyPartialConversion(getOperation(), target, std::move(extend))))
      return signalPassFailure();

    RewritePatternSet expand(context);
    math::populateExpansionPatterns(expand, kComposite);
    populateMathPolynomialApproximationPatterns(expand,
                                                [](StringRef) { return true; });
    expand.add<ToComparison<math::IsInfOp, arith::CmpFPredicate::OEQ>,
               ToComparison<math::IsFiniteOp, arith::CmpFPredicate::OLT>,
               IsNaNToComparison>(context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(expand))))
      return signalPassFailure();

    RewritePatternSet intrinsics(context);
    intrinsics.add<ToIntrinsic<math::FmaOp>>(context, "llvm.fma");
    intrinsics.add<ToIntrinsic<math::AbsFOp>>(context, "llvm.fabs");
    intrinsics.add<ToIntrinsic<math::CopySignOp>>(context, "llvm.copysign");
    intrinsics.add<ToIntrinsic<math::CeilOp>>(context, "llvm.ceil");
    intrinsics.add<ToIntrinsic<math::FloorOp>>(context, "llvm.floor");
    intrinsics.add<ToIntrinsic<math::TruncOp>>(context, "llvm.trunc");
    intrinsics.add<ToIntrinsic<math::RoundOp>>(context, "llvm.round");
    intrinsics.add<ToIntrinsic<math::RoundEvenOp>>(context, "llvm.roundeven");
    intrinsics.add<ToIntrinsic<math::SqrtOp>>(context, "llvm.sqrt");
    intrinsics.add<ToIntrinsic<arith::MaxNumFOp>>(context, "llvm.maxnum");
    intrinsics.add<ToIntrinsic<arith::MinNumFOp>>(context, "llvm.minnum");
    if (failed(applyPatternsGreedily(getOperation(), std::move(intrinsics))))
      return signalPassFailure();
  }
};
} // namespace
