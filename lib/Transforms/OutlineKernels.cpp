//===- OutlineKernels.cpp - Static blocks become kernels and enqueues -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/SharingAnalysis.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// A readable name: the function, and the constructor whose case holds the
/// block.
static std::string getKernelName(BlockOp block) {
  auto func = block->getParentOfType<FunctionOpInterface>();
  std::string name = func.getName().str();
  if (auto match = block->getParentOfType<MatchOp>()) {
    Region *region = block->getParentRegion();
    while (region->getParentOp() != match)
      region = region->getParentOp()->getParentRegion();
    auto ctor =
        cast<FlatSymbolRefAttr>(match.getCases()[region->getRegionNumber()]);
    name += "_" + ctor.getValue().lower();
  }
  return name;
}

/// Equal kernels have equal hashes: op names, types and attributes of the body.
static llvm::hash_code hashKernel(KernelOp kernel) {
  llvm::hash_code hash =
      llvm::hash_value(kernel.getFunctionType().getAsOpaquePointer());
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(KernelOp lhs, KernelOp rhs) {
  return lhs.getFunctionType() == rhs.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &lhs.getBody(), &rhs.getBody(),
             OperationEquivalence::IgnoreLocations);
}

/// Gives `block` its own load of every parameter that it captures, and its own
/// copy of every constant: they are no operands of the task.
static void internalizeShared(BlockOp block, DataFlowSolver &solver) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(block.getBody(), captured);
  OpBuilder builder = OpBuilder::atBlockBegin(&block.getBody().front());
  for (Value value : captured) {
    Value own;
    if (FlatSymbolRefAttr name =
            SharingAnalysis::get(solver, value).getParameter())
      own = ml_program::GlobalLoadConstOp::create(builder, value.getLoc(),
                                                  value.getType(), name);
    else if (matchPattern(value, m_Constant()))
      own = builder.clone(*value.getDefiningOp())->getResult(0);
    else
      continue;
    replaceAllUsesInRegionWith(value, own, block.getBody());
  }
}

/// Moves the body of `block` into a new kernel. `operands` receives what the
/// task is given.
static KernelOp outline(BlockOp block, SetVector<Value> &operands) {
  getUsedValuesDefinedAbove(block.getBody(), operands);
  OpBuilder builder(block.getContext());
  auto kernel = KernelOp::create(
      builder, block.getLoc(), getKernelName(block),
      builder.getFunctionType(
          llvm::to_vector(ValueRange(operands.getArrayRef()).getTypes()),
          block.getResultTypes()));
  for (auto [operand, argument] :
       llvm::zip_equal(operands, kernel.getArguments())) {
    argument.setLoc(operand.getLoc());
    replaceAllUsesInRegionWith(operand, argument, block.getBody());
  }
  Block &body = kernel.getBody().front();
  body.getOperations().splice(body.end(),
                              block.getBody().front().getOperations());
  Operation *yield = body.getTerminator();
  builder.setInsertionPoint(yield);
  ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  return kernel;
}

namespace {
struct OutlineKernels : dynbatch::impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DataFlowSolver solver(DataFlowConfig().setInterprocedural(true));
    dataflow::loadBaselineAnalyses(solver);
    solver.load<SharingAnalysis>();
    if (failed(solver.initializeAndRun(module)))
      return signalPassFailure();

    SmallVector<BlockOp> blocks;
    module.walk([&](BlockOp block) { blocks.push_back(block); });
    for (BlockOp block : blocks)
      internalizeShared(block, solver);

    // The solver's results end here: values change.
    SymbolTable symbols(module);
    IRRewriter rewriter(&getContext());
    DenseMap<llvm::hash_code, SmallVector<KernelOp>> kernels;
    for (BlockOp block : blocks) {
      auto func = block->getParentOfType<FunctionOpInterface>();
      SetVector<Value> operands;
      KernelOp kernel = outline(block, operands);
      SmallVector<KernelOp> &candidates = kernels[hashKernel(kernel)];
      auto *equal = llvm::find_if(
          candidates, [&](KernelOp other) { return areEqual(other, kernel); });
      if (merge && equal != candidates.end()) {
        kernel->erase();
        kernel = *equal;
        ++numMerged;
      } else {
        symbols.insert(kernel, Block::iterator(func));
        candidates.push_back(kernel);
        ++numKernels;
      }
      rewriter.setInsertionPoint(block);
      rewriter.replaceOpWithNewOp<EnqueueOp>(block, block.getResultTypes(),
                                             kernel.getSymName(),
                                             operands.getArrayRef(), Value());
    }
  }
};
} // namespace
