//===- Normalize.cpp - Inline, elementwise to linalg, explicit reads -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/SCCIterator.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_NORMALIZE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

/// Functions that cannot reach themselves, callees before callers.
static SmallVector<func::FuncOp> getNonRecursiveFunctions(ModuleOp module,
                                                          CallGraph &graph) {
  SmallVector<func::FuncOp> functions;
  for (auto it = llvm::scc_begin<const CallGraph *>(&graph); !it.isAtEnd();
       ++it) {
    CallGraphNode *node = it->front();
    if (it->size() != 1 || it.hasCycle() || node->isExternal())
      continue;
    if (auto func = dyn_cast<func::FuncOp>(
            node->getCallableRegion()->getParentOp()))
      functions.push_back(func);
  }
  return functions;
}

/// Whether `call` may be replaced by the callee's only block.
static bool canInline(func::CallOp call, func::FuncOp callee) {
  return !callee.isExternal() && callee.getBody().hasOneBlock() &&
         !callee.getNoInline() && !call.getNoInline();
}

/// Replaces every call of `callee`; returns how many there were. Upstream's
/// inliner pass visits a call graph that it updates as it goes and also inlines
/// inside of cycles; here callees are complete before their callers.
static int64_t inlineCallsOf(func::FuncOp callee, ModuleOp module,
                             InlinerInterface &interface) {
  auto uses = SymbolTable::getSymbolUses(callee.getSymNameAttr(), module);
  if (!uses)
    return 0;
  InlinerConfig config;
  int64_t count = 0;
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call || !canInline(call, callee))
      continue;
    if (failed(inlineCall(interface, config.getCloneCallback(), call, callee,
                          &callee.getBody())))
      continue;
    call.erase();
    ++count;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Whether `op` belongs to the payload of a structured op or to a kernel.
static bool isInsideTensorOp(Operation *op) {
  return op->getParentOfType<linalg::LinalgOp>() ||
         op->getParentOfType<KernelOp>() || op->getParentOfType<BlockOp>();
}

namespace {
/// A `tensor.extract` for the host is a forced read.
struct ExtractToRead : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    if (isInsideTensorOp(op))
      return rewriter.notifyMatchFailure(op, "stands inside of a tensor op");
    if (!op.getTensor().getType().hasStaticShape())
      return rewriter.notifyMatchFailure(op, "dynamic shape");
    rewriter.replaceOpWithNewOp<ReadOp>(op, op.getType(), op.getTensor(),
                                        op.getIndices());
    return success();
  }
};

/// An output operand that is not read is an empty tensor: it must not look like
/// an input, and its storage must not be taken for the result.
struct UnreadInitToEmpty : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      auto type = dyn_cast<RankedTensorType>(init.get().getType());
      if (!type || !type.hasStaticShape() || op.payloadUsesValueFromOperand(&init) ||
          init.get().getDefiningOp<tensor::EmptyOp>())
        continue;
      rewriter.setInsertionPoint(op);
      Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(),
                                            type.getShape(), type.getElementType());
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
      changed = true;
    }
    return success(changed);
  }
};

struct Normalize : dynbatch::impl::NormalizeBase<Normalize> {
  using NormalizeBase::NormalizeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    InlinerInterface interface(&getContext());
    for (func::FuncOp callee :
         getNonRecursiveFunctions(module, getAnalysis<CallGraph>())) {
      numInlined += inlineCallsOf(callee, module, interface);
      if (callee.isPrivate() && SymbolTable::symbolKnownUseEmpty(callee, module))
        callee.erase();
    }

    RewritePatternSet elementwise(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
    walkAndApplyPatterns(module, std::move(elementwise));

    module.walk([&](tensor::ExtractOp op) { numReads += !isInsideTensorOp(op); });
    RewritePatternSet patterns(&getContext());
    patterns.add<ExtractToRead, UnreadInitToEmpty>(&getContext());
    walkAndApplyPatterns(module, std::move(patterns));
  }
};
} // namespace
