//===- OutlineKernels.cpp - Static blocks become kernels and enqueues -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/DependenceGraph.h"
#include "dynbatch/Analysis/RecurrenceAnalysis.h"
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

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

namespace {
/// Decides which equal kernels can be one without harm to the schedule. One
/// kernel before and behind a recursion would be a part of it: what was one
/// batch before and one behind would run step by step with it.
class KernelMerger {
public:
  explicit KernelMerger(DependenceGraph &graph);

  bool canMerge(DependenceNode *lhs, DependenceNode *rhs);

private:
  /// Whether `consumer` may depend on `producer`, and a kernel on the way,
  /// perhaps one of them, lies on a cycle.
  bool dependsThroughCycle(DependenceNode *consumer, DependenceNode *producer);

  DenseMap<DependenceNode *, unsigned> components;
  DenseSet<DependenceNode *> cyclic;
};
} // namespace

KernelMerger::KernelMerger(DependenceGraph &graph) {
  for (auto [i, component] : llvm::enumerate(graph.getComponents()))
    for (DependenceNode *node : component.nodes) {
      components[node] = i;
      if (component.cyclic)
        cyclic.insert(node);
    }
}

bool KernelMerger::canMerge(DependenceNode *lhs, DependenceNode *rhs) {
  return components.lookup(lhs) == components.lookup(rhs) ||
         (!dependsThroughCycle(lhs, rhs) && !dependsThroughCycle(rhs, lhs));
}

bool KernelMerger::dependsThroughCycle(DependenceNode *consumer,
                                       DependenceNode *producer) {
  auto findReachable = [](DependenceNode *from, auto edges) {
    SetVector<DependenceNode *> reachable;
    reachable.insert(from);
    for (size_t i = 0; i < reachable.size(); ++i)
      reachable.insert_range(reachable[i]->*edges);
    return reachable;
  };
  SetVector<DependenceNode *> before =
      findReachable(consumer, &DependenceNode::producers);
  if (!before.contains(producer))
    return false;
  SetVector<DependenceNode *> behind =
      findReachable(producer, &DependenceNode::consumers);
  return llvm::any_of(before, [&](DependenceNode *node) {
    return behind.contains(node) && cyclic.contains(node);
  });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct OutlineKernels : dynbatch::impl::OutlineKernelsBase<OutlineKernels> {
  using OutlineKernelsBase::OutlineKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DataFlowSolver sharing(DataFlowConfig().setInterprocedural(true));
    dataflow::loadBaselineAnalyses(sharing);
    sharing.load<SharingAnalysis>();
    if (failed(sharing.initializeAndRun(module)))
      return signalPassFailure();

    SmallVector<BlockOp> blocks;
    module.walk([&](BlockOp block) { blocks.push_back(block); });
    for (BlockOp block : blocks)
      internalizeShared(block, sharing);

    // The solver's results end here: values change.
    SymbolTable symbols(module);
    IRRewriter rewriter(&getContext());
    SmallVector<EnqueueOp> tasks;
    for (BlockOp block : blocks) {
      auto func = block->getParentOfType<FunctionOpInterface>();
      SetVector<Value> operands;
      KernelOp kernel = outline(block, operands);
      symbols.insert(kernel, Block::iterator(func));
      rewriter.setInsertionPoint(block);
      tasks.push_back(rewriter.replaceOpWithNewOp<EnqueueOp>(
          block, block.getResultTypes(), kernel.getSymName(),
          operands.getArrayRef(), Value()));
    }
    numKernels += tasks.size();
    if (merge && failed(mergeEqual(tasks, symbols)))
      return signalPassFailure();
  }

  /// Each of `tasks` has a kernel of its own: lets equal ones share one.
  LogicalResult mergeEqual(ArrayRef<EnqueueOp> tasks, SymbolTable &symbols) {
    DataFlowSolver recurrence(DataFlowConfig().setInterprocedural(true));
    dataflow::loadBaselineAnalyses(recurrence);
    recurrence.load<RecurrenceAnalysis>();
    if (failed(recurrence.initializeAndRun(getOperation())))
      return failure();
    DependenceGraph graph =
        DependenceGraph::ofKernels(getOperation(), recurrence);
    KernelMerger merger(graph);
    DenseMap<llvm::hash_code, SmallVector<DependenceNode *>> kept;
    for (EnqueueOp task : tasks) {
      DependenceNode *node = graph.lookup(task.getKernelAttr().getAttr());
      auto kernel = cast<KernelOp>(node->op);
      SmallVector<DependenceNode *> &candidates = kept[hashKernel(kernel)];
      auto *equal = llvm::find_if(candidates, [&](DependenceNode *other) {
        return areEqual(cast<KernelOp>(other->op), kernel) &&
               merger.canMerge(other, node);
      });
      if (equal == candidates.end()) {
        candidates.push_back(node);
        continue;
      }
      DependenceGraph::link(*equal, node);
      task.setKernel(cast<KernelOp>((*equal)->op).getSymName());
      symbols.erase(kernel);
      --numKernels;
      ++numMerged;
    }
    return success();
  }
};
} // namespace
