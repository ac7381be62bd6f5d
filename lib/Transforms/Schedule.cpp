//===- Schedule.cpp - Stages and depths -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/RecurrenceAnalysis.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_SCHEDULE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// Kernel dependence graph
//===----------------------------------------------------------------------===//

namespace {
/// A kernel and the kernels that make its operands. The graph's root has no
/// kernel and depends on all of them.
struct KernelNode {
  KernelOp kernel;
  SetVector<KernelNode *> producers;
};
} // namespace

namespace llvm {
template <> struct GraphTraits<KernelNode *> {
  using NodeRef = KernelNode *;
  using ChildIteratorType = SetVector<KernelNode *>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->producers.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->producers.end();
  }
};
} // namespace llvm

namespace {
class KernelGraph {
public:
  KernelGraph(ModuleOp module, DataFlowSolver &solver);

  /// Strongly connected components, producers before consumers.
  struct Component {
    SmallVector<KernelOp> kernels;
    bool cyclic;
  };
  SmallVector<Component> getComponents();

private:
  llvm::MapVector<StringAttr, std::unique_ptr<KernelNode>> nodes;
  KernelNode root;
};
} // namespace

KernelGraph::KernelGraph(ModuleOp module, DataFlowSolver &solver) {
  for (auto kernel : module.getOps<KernelOp>()) {
    auto node = std::make_unique<KernelNode>();
    node->kernel = kernel;
    root.producers.insert(node.get());
    nodes[kernel.getSymNameAttr()] = std::move(node);
  }
  module.walk([&](EnqueueOp enqueue) {
    KernelNode *consumer = nodes[enqueue.getKernelAttr().getAttr()].get();
    for (Value operand : enqueue.getTaskOperands()) {
      KernelSet makers = RecurrenceAnalysis::get(solver, operand);
      if (makers.isAny())
        consumer->producers.insert_range(root.producers);
      for (StringAttr name : makers.getNames())
        consumer->producers.insert(nodes[name].get());
    }
  });
}

SmallVector<KernelGraph::Component> KernelGraph::getComponents() {
  SmallVector<Component> components;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it) {
    if (!it->front()->kernel)
      continue;
    Component component;
    component.cyclic = it.hasCycle();
    for (KernelNode *node : *it)
      component.kernels.push_back(node->kernel);
    // Module order, so that the schedule does not depend on pointers.
    llvm::sort(component.kernels, [](KernelOp lhs, KernelOp rhs) {
      return lhs->isBeforeInBlock(rhs);
    });
    components.push_back(std::move(component));
  }
  return components;
}

//===----------------------------------------------------------------------===//
// Depths
//===----------------------------------------------------------------------===//

/// One more than the largest depth in `stage` among the operands that kernels
/// of `stage` may have made.
static Value buildDepth(EnqueueOp enqueue, int64_t stage,
                        ArrayRef<KernelOp> members, DataFlowSolver &solver) {
  OpBuilder builder(enqueue);
  Location loc = enqueue.getLoc();
  Value depth;
  SetVector<Value> operands(enqueue.getTaskOperands().begin(),
                            enqueue.getTaskOperands().end());
  for (Value operand : operands) {
    KernelSet makers = RecurrenceAnalysis::get(solver, operand);
    if (llvm::none_of(members, [&](KernelOp kernel) {
          return makers.contains(kernel.getSymNameAttr());
        }))
      continue;
    Value own = DepthOp::create(builder, loc, operand, stage);
    depth = depth ? arith::MaxUIOp::create(builder, loc, depth, own) : own;
  }
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  return depth ? arith::AddIOp::create(builder, loc, depth, one) : one;
}

namespace {
struct Schedule : dynbatch::impl::ScheduleBase<Schedule> {
  using ScheduleBase::ScheduleBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DataFlowSolver solver(DataFlowConfig().setInterprocedural(true));
    dataflow::loadBaselineAnalyses(solver);
    solver.load<RecurrenceAnalysis>();
    if (failed(solver.initializeAndRun(module)))
      return signalPassFailure();

    SmallVector<KernelGraph::Component> components =
        KernelGraph(module, solver).getComponents();
    DenseMap<StringAttr, int64_t> stages;
    for (auto [stage, component] : llvm::enumerate(components)) {
      numStages++;
      numCyclic += component.cyclic;
      for (KernelOp kernel : component.kernels) {
        stages[kernel.getSymNameAttr()] = stage;
        kernel.setStage(stage);
        kernel.setCyclic(component.cyclic);
      }
    }
    module.walk([&](EnqueueOp enqueue) {
      int64_t stage = stages.lookup(enqueue.getKernelAttr().getAttr());
      const KernelGraph::Component &component = components[stage];
      // Also a depth that an earlier run gave is replaced.
      enqueue.getDepthMutable().clear();
      if (component.cyclic)
        enqueue.getDepthMutable().assign(
            buildDepth(enqueue, stage, component.kernels, solver));
    });
  }
};
} // namespace
