//===- FoldWidening.cpp - Parameters stay as narrow as they are -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Widening.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_FOLDWIDENING
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

/// The parameter of f16 or bf16 that `value` is, element by element, in f32.
static Value getNarrowParameter(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto extension = op.getBlock()
                       ->getTerminator()
                       ->getOperand(0)
                       .getDefiningOp<arith::ExtFOp>();
  if (!extension || extension.getIn() != op.getBlock()->getArgument(0) ||
      !extension.getType().isF32())
    return {};
  Value narrow = op.getInputs()[0];
  bool isParameter = narrow.getDefiningOp<ml_program::GlobalLoadConstOp>();
  return isParameter && isNarrow(narrow.getType()) ? narrow : Value();
}

namespace {
/// A named contraction extends what it multiplies itself.
struct FoldIntoContraction : OpInterfaceRewritePattern<LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<linalg::MatvecOp, linalg::VecmatOp, linalg::MatmulOp>(
            op.getOperation()) ||
        !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not a contraction of tensors");
    bool folds = false;
    SmallVector<Value> inputs;
    for (Value input : op.getDpsInputs()) {
      Value narrow = getNarrowParameter(input);
      folds |= static_cast<bool>(narrow);
      inputs.push_back(narrow ? narrow : input);
    }
    if (!folds)
      return rewriter.notifyMatchFailure(op, "factors are not widened");
    SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
    if (isa<linalg::MatmulOp>(op.getOperation()))
      attributes.push_back(
          rewriter.getNamedAttr("indexing_maps", op.getIndexingMaps()));
    llvm::TypeSwitch<Operation *>(op)
        .Case<linalg::MatvecOp, linalg::VecmatOp, linalg::MatmulOp>(
            [&](auto named) {
              rewriter.replaceOpWithNewOp<decltype(named)>(
                  op, op->getResultTypes(), inputs, op.getDpsInits(),
                  attributes);
            });
    return success();
  }
};

/// A row is looked up before it is widened: not the whole table.
struct FoldIntoLookup : OpRewritePattern<LookupOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LookupOp op,
                                PatternRewriter &rewriter) const override {
    Value table = getNarrowParameter(op.getTable());
    if (!table)
      return rewriter.notifyMatchFailure(op, "the table is not widened");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value row =
        LookupOp::create(rewriter, loc, type.clone(getElementTypeOrSelf(table)),
                         table, op.getIndex());
    rewriter.replaceOp(op, widen(rewriter, loc, row));
    return success();
  }
};

struct FoldWidening : dynbatch::impl::FoldWideningBase<FoldWidening> {
  using FoldWideningBase::FoldWideningBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoContraction, FoldIntoLookup>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
