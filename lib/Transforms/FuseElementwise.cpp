//===- FuseElementwise.cpp - Fusion of elementwise linalg ops -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::GenericOp;
using linalg::LinalgOp;

static bool isElementwiseOp(LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() && op.getNumLoops() > 0;
}

/// Whether `op` is a named op that fusion could make use of. Fills and the
/// initial values of contractions are better left alone.
static bool shouldGeneralize(LinalgOp op) {
  return isElementwiseOp(op) &&
         !isa<GenericOp, linalg::FillOp>(op.getOperation()) &&
         llvm::any_of(op->getUses(), [](OpOperand &use) {
           auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
           return !user || user.isDpsInput(&use);
         });
}

/// Whether `producer` only moves data.
static bool isCopy(GenericOp producer) {
  return llvm::hasSingleElement(*producer.getBlock());
}

/// Fuses the producer of `operand` into its user when that is the producer's
/// first user: the fused op then stands before all others.
static bool canFuse(OpOperand *operand) {
  auto consumer = cast<GenericOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<GenericOp>();
  if (!producer || producer->getBlock() != consumer->getBlock() ||
      !isElementwiseOp(producer) || !linalg::areElementwiseOpsFusable(operand))
    return false;
  if (producer.getNumLoops() != consumer.getNumLoops() && !isCopy(producer))
    return false;
  return llvm::all_of(producer->getUsers(), [&](Operation *user) {
    Operation *ancestor = consumer->getBlock()->findAncestorOpInBlock(*user);
    return ancestor == consumer || consumer->isBeforeInBlock(ancestor);
  });
}

namespace {
struct FuseElementwise : dynbatch::impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.isExternal())
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<LinalgOp> named;
    kernel.walk([&](LinalgOp op) {
      if (shouldGeneralize(op))
        named.push_back(op);
    });
    for (LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return signalPassFailure();
    }
    // Fills and constants as operands become scalars.
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [](OpOperand *operand) {
          return !operand->get().getDefiningOp<GenericOp>();
        });
    if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
      return signalPassFailure();
    while (fuseOne(kernel, rewriter))
      ++numFused;
    // Operands that the fused bodies do not read.
    RewritePatternSet cleanup(&getContext());
    GenericOp::getCanonicalizationPatterns(cleanup, &getContext());
    if (failed(applyPatternsGreedily(kernel, std::move(cleanup))))
      return signalPassFailure();
  }

  static bool fuseOne(KernelOp kernel, IRRewriter &rewriter);
};
} // namespace

bool FuseElementwise::fuseOne(KernelOp kernel, IRRewriter &rewriter) {
  for (auto consumer : kernel.getBody().getOps<GenericOp>()) {
    if (!isElementwiseOp(consumer))
      continue;
    for (OpOperand *operand : consumer.getDpsInputOperands()) {
      if (!canFuse(operand))
        continue;
      Operation *producer = operand->get().getDefiningOp();
      rewriter.setInsertionPoint(consumer);
      FailureOr<linalg::ElementwiseOpFusionResult> result =
          linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(result))
        continue;
      for (auto [from, to] : result->replacements)
        rewriter.replaceUsesWithIf(from, to, [&](OpOperand &use) {
          return use.getOwner() != result->fusedOp;
        });
      rewriter.eraseOp(consumer);
      if (isOpTriviallyDead(producer))
        rewriter.eraseOp(producer);
      return true;
    }
  }
  return false;
}
