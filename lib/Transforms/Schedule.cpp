//===- Schedule.cpp - Stages and depths -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/DependenceGraph.h"
#include "dynbatch/Analysis/RecurrenceAnalysis.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_SCHEDULE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// One more than the largest depth in `stage` among the operands that kernels
/// of `stage` may have made.
static Value buildDepth(EnqueueOp enqueue, int64_t stage,
                        ArrayRef<DependenceNode *> members,
                        DataFlowSolver &solver) {
  OpBuilder builder(enqueue);
  Location loc = enqueue.getLoc();
  Value depth;
  SetVector<Value> operands(enqueue.getTaskOperands().begin(),
                            enqueue.getTaskOperands().end());
  for (Value operand : operands) {
    KernelSet makers = RecurrenceAnalysis::get(solver, operand);
    if (llvm::none_of(members, [&](DependenceNode *node) {
          return makers.contains(cast<KernelOp>(node->op).getSymNameAttr());
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

    DependenceGraph graph = DependenceGraph::ofKernels(module, solver);
    SmallVector<DependenceGraph::Component> components = graph.getComponents();
    DenseMap<StringAttr, int64_t> stages;
    for (auto [stage, component] : llvm::enumerate(components)) {
      numStages++;
      numCyclic += component.cyclic;
      for (DependenceNode *node : component.nodes) {
        auto kernel = cast<KernelOp>(node->op);
        stages[kernel.getSymNameAttr()] = stage;
        kernel.setStage(stage);
        kernel.setCyclic(component.cyclic);
      }
    }
    module.walk([&](EnqueueOp enqueue) {
      int64_t stage = stages.lookup(enqueue.getKernelAttr().getAttr());
      const DependenceGraph::Component &component = components[stage];
      // Also a depth that an earlier run gave is replaced.
      enqueue.getDepthMutable().clear();
      if (component.cyclic)
        enqueue.getDepthMutable().assign(
            buildDepth(enqueue, stage, component.nodes, solver));
    });
  }
};
} // namespace
