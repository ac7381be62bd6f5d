//===- PrepareMma.cpp - Fragments for tensor cores -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_PREPAREMMA
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;

/// The elements of a fragment, or, of bf16, the words that its rows are.
static SmallVector<Value> getWords(OpBuilder &builder, Location loc,
                                   Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  auto word = VectorType::get({1}, builder.getI32Type());
  SmallVector<Value> words;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    if (type.getElementType().isBF16()) {
      Value row = vector::ExtractOp::create(builder, loc, fragment, i);
      row = vector::BitCastOp::create(builder, loc, word, row);
      words.push_back(vector::ExtractOp::create(builder, loc, row, int64_t(0)));
      continue;
    }
    for (int64_t j = 0; j < type.getDimSize(1); ++j)
      words.push_back(vector::ExtractOp::create(builder, loc, fragment,
                                                ArrayRef<int64_t>{i, j}));
  }
  return words;
}

namespace {
struct BF16MmaPattern : OpRewritePattern<nvgpu::MmaSyncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nvgpu::MmaSyncOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    auto result = cast<VectorType>(op.getType());
    std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
    if (!getElementTypeOrSelf(op.getMatrixA()).isBF16())
      return rewriter.notifyMatchFailure(op, "factors are not bf16");
    if (shape != std::array<int64_t, 3>{16, 8, 16} ||
        result.getElementType() != f32)
      return op.emitOpError("is not supported with bf16: expected the shape "
                            "[16, 8, 16] and a result of f32");
    auto types = LLVM::LLVMStructType::getLiteral(op.getContext(),
                                                  SmallVector<Type>(4, f32));
    Value sums = NVVM::MmaOp::create(
        rewriter, loc, types, getWords(rewriter, loc, op.getMatrixA()),
        getWords(rewriter, loc, op.getMatrixB()),
        getWords(rewriter, loc, op.getMatrixC()), shape,
        /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
        std::array{NVVM::MMATypes::bf16, NVVM::MMATypes::bf16},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    Value product =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(result));
    for (int64_t i = 0; i < 4; ++i)
      product = vector::InsertOp::create(
          rewriter, loc, LLVM::ExtractValueOp::create(rewriter, loc, sums, i),
          product, ArrayRef<int64_t>{i / 2, i % 2});
    rewriter.replaceOp(op, product);
    return success();
  }
};

struct PrepareMma : dynbatch::impl::PrepareMmaBase<PrepareMma> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<BF16MmaPattern>(&getContext());
    vector::populateVectorFromElementsUnrollPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // What the pattern has refused.
    WalkResult result = getOperation().walk([](nvgpu::MmaSyncOp op) {
      return getElementTypeOrSelf(op.getMatrixA()).isBF16()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
