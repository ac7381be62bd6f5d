//===- Normalize.cpp - Inline, elementwise to linalg, explicit reads -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
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

namespace {
/// Inlines calls of functions that cannot reach themselves. Upstream's inliner
/// pass visits a call graph that it updates as it goes and also inlines inside
/// of cycles; here callees are complete before their callers.
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : module(module) {}

  /// Returns the number of calls inlined.
  int64_t run(const CallGraph &graph);

private:
  int64_t inlineCallsIn(func::FuncOp caller);
  /// Erases inlined functions that nothing refers to any more.
  void eraseUnused();

  ModuleOp module;
  InlinerInterface interface{module.getContext()};
  InlinerConfig config;
  SymbolTableCollection symbols;
  llvm::SetVector<func::FuncOp> inlinable;
};
} // namespace

int64_t CallInliner::run(const CallGraph &graph) {
  int64_t count = 0;
  for (auto it = llvm::scc_begin(&graph); !it.isAtEnd(); ++it)
    for (CallGraphNode *node : *it) {
      if (node->isExternal())
        continue;
      auto func =
          dyn_cast<func::FuncOp>(node->getCallableRegion()->getParentOp());
      if (!func)
        continue;
      count += inlineCallsIn(func);
      if (!it.hasCycle() && func.getBody().hasOneBlock() && !func.getNoInline())
        inlinable.insert(func);
    }
  eraseUnused();
  return count;
}

int64_t CallInliner::inlineCallsIn(func::FuncOp caller) {
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  caller.walk([&](func::CallOp call) {
    auto callee = dyn_cast_if_present<func::FuncOp>(
        call.resolveCallableInTable(&symbols));
    if (callee && inlinable.contains(callee) && !call.getNoInline())
      calls.emplace_back(call, callee);
  });
  int64_t count = 0;
  for (auto [call, callee] : calls) {
    if (failed(inlineCall(interface, config.getCloneCallback(), call, callee,
                          &callee.getBody())))
      continue;
    call.erase();
    ++count;
  }
  return count;
}

void CallInliner::eraseUnused() {
  SymbolUserMap users(symbols, module);
  for (func::FuncOp func : inlinable) {
    bool isRoot = func.isPublic() ||
                  func->hasAttr(DynbatchDialect::kEntryAttrName) ||
                  func->hasAttr(DynbatchDialect::kPrologueAttrName);
    if (!isRoot && users.useEmpty(func))
      func.erase();
  }
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Whether host code asks for the element: not the payload of a tensor op, not
/// a kernel, and not the prologue, where nothing is pending.
static bool isForcedRead(tensor::ExtractOp op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<KernelOp, BlockOp>(parent))
      return false;
    if (isa<FunctionOpInterface>(parent))
      return !parent->hasAttr(DynbatchDialect::kPrologueAttrName) &&
             op.getTensor().getType().hasStaticShape();
    if (!isa<RegionBranchOpInterface>(parent))
      return false;
  }
  return false;
}

namespace {
/// A `tensor.extract` for the host is a forced read.
struct ExtractToRead : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    if (!isForcedRead(op))
      return rewriter.notifyMatchFailure(op, "not a read of host code");
    rewriter.replaceOpWithNewOp<ReadOp>(op, op.getType(), op.getTensor(),
                                        op.getIndices());
    return success();
  }
};

/// Exporters keep weights as resources, which only the CPU's last lowerings
/// know: from here on a constant is the elements that it stands for. One bit
/// an element is laid out in another way.
struct ResourceToElements : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
    if (!resource || resource.getElementType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "not a resource of whole bytes");
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return rewriter.notifyMatchFailure(op, "the module lacks the resource");
    ShapedType type = resource.getType();
    bool isSplat = false;
    if (!DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat) ||
        (isSplat && type.getNumElements() != 1))
      return rewriter.notifyMatchFailure(op, "not the bytes of the type");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::getFromRawBuffer(type, blob->getData()));
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
      if (!type || !type.hasStaticShape() ||
          op.payloadUsesValueFromOperand(&init) ||
          init.get().getDefiningOp<tensor::EmptyOp>())
        continue;
      rewriter.setInsertionPoint(op);
      Value empty =
          tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                  type.getElementType(), type.getEncoding());
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
    numInlined += CallInliner(module).run(getAnalysis<CallGraph>());

    RewritePatternSet elementwise(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(elementwise);
    walkAndApplyPatterns(module, std::move(elementwise));

    module.walk([&](tensor::ExtractOp op) { numReads += isForcedRead(op); });
    RewritePatternSet patterns(&getContext());
    patterns.add<ExtractToRead, ResourceToElements, UnreadInitToEmpty>(
        &getContext());
    walkAndApplyPatterns(module, std::move(patterns));
  }
};
} // namespace
