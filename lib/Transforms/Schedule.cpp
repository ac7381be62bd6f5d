//===- Schedule.cpp - Stages and depths -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageOrder.h"
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

namespace {
/// What a task needs to know to find its depth.
struct Place {
  int64_t stage = 0;
  /// The kernels of a cyclic stage; empty otherwise.
  ArrayRef<DependenceNode *> members;
  /// Absent in a stage that is not split.
  std::optional<Turn> turn;
};
} // namespace

/// Whether the same stage of a program could be written with other parameters.
static bool differOnlyInParameters(KernelOp lhs, KernelOp rhs) {
  auto collect = [](KernelOp kernel) {
    SmallVector<Operation *> ops;
    kernel.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    return ops;
  };
  SmallVector<Operation *> lhsOps = collect(lhs), rhsOps = collect(rhs);
  if (lhs.getFunctionType() != rhs.getFunctionType() ||
      lhsOps.size() != rhsOps.size())
    return false;
  for (auto [a, b] : llvm::zip_equal(lhsOps, rhsOps))
    if (a->getName() != b->getName() ||
        a->getResultTypes() != b->getResultTypes() ||
        (!isa<ml_program::GlobalLoadConstOp>(a) &&
         a->getAttrDictionary() != b->getAttrDictionary()))
      return false;
  return true;
}

/// Lets cyclic components of equal structure that cannot depend on each other
/// be one stage; returns how many joined another.
static unsigned joinIndependent(ArrayRef<DependenceGraph::Component> all) {
  auto areEqual = [](const DependenceGraph::Component &lhs,
                     const DependenceGraph::Component &rhs) {
    return lhs.nodes.size() == rhs.nodes.size() &&
           llvm::all_of(llvm::zip_equal(lhs.nodes, rhs.nodes), [](auto pair) {
             auto [a, b] = pair;
             return differOnlyInParameters(cast<KernelOp>(a->op),
                                           cast<KernelOp>(b->op));
           });
  };
  unsigned joined = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].cyclic)
      continue;
    for (size_t j = 0; j < i; ++j) {
      DependenceNode *lhs = all[j].nodes.front(), *rhs = all[i].nodes.front();
      if (!all[j].cyclic || !areEqual(all[j], all[i]) ||
          DependenceGraph::reaches(lhs, rhs) ||
          DependenceGraph::reaches(rhs, lhs))
        continue;
      DependenceGraph::link(lhs, rhs);
      ++joined;
      break;
    }
  }
  return joined;
}

/// The depth of a task: see the description of the pass.
static Value buildDepth(EnqueueOp enqueue, const Place &place,
                        DataFlowSolver &solver) {
  OpBuilder builder(enqueue);
  Location loc = enqueue.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto raise = [&](Value &largest, Value depth) {
    largest =
        largest ? arith::MaxUIOp::create(builder, loc, largest, depth) : depth;
  };
  Value sameKernel, others;
  SetVector<Value> operands(enqueue.getTaskOperands().begin(),
                            enqueue.getTaskOperands().end());
  for (Value operand : operands) {
    KernelSet makers = RecurrenceAnalysis::get(solver, operand);
    if (llvm::none_of(place.members, [&](DependenceNode *node) {
          return makers.contains(cast<KernelOp>(node->op).getSymNameAttr());
        }))
      continue;
    Value depth = DepthOp::create(builder, loc, operand, place.stage);
    bool counts =
        !place.turn || (*place.turn == Turn::Steps &&
                        makers.contains(enqueue.getKernelAttr().getAttr()));
    raise(counts ? sameKernel : others, depth);
  }

  // Of what other kernels made only the round matters.
  if (others) {
    Value bits = constant(kStepBits);
    others = arith::ShRUIOp::create(builder, loc, others, bits);
    if (*place.turn == Turn::First)
      others = arith::AddIOp::create(builder, loc, others, constant(1));
    others = arith::ShLIOp::create(builder, loc, others, bits);
    raise(sameKernel, others);
  }
  if (place.turn && *place.turn == Turn::First)
    return sameKernel ? sameKernel : constant(int64_t(1) << kStepBits);
  if (place.turn && *place.turn == Turn::Once)
    return sameKernel ? sameKernel : constant(0);
  Value one = constant(1);
  return sameKernel ? arith::AddIOp::create(builder, loc, sameKernel, one)
                    : one;
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
    SmallVector<DependenceGraph::Component> parts = graph.getComponents();
    if (!stages)
      for (const DependenceGraph::Component &part : parts)
        for (DependenceNode *node : part.nodes)
          DependenceGraph::link(parts.front().nodes.front(), node);
    else if (align)
      numJoined += joinIndependent(parts);
    SmallVector<DependenceGraph::Component> components = graph.getComponents();

    DenseMap<StringAttr, Place> places;
    for (auto [stage, component] : llvm::enumerate(components)) {
      numStages++;
      numCyclic += component.cyclic;
      for (DependenceNode *node : component.nodes) {
        auto kernel = cast<KernelOp>(node->op);
        Place &place = places[kernel.getSymNameAttr()];
        place.stage = stage;
        if (component.cyclic)
          place.members = component.nodes;
        kernel.setStage(stage);
        kernel.setCyclic(component.cyclic);
        kernel.removeTurnAttr();
        kernel.removePartAttr();
      }
    }
    if (stages && align)
      splitStages(parts, places);
    module.walk([&](EnqueueOp enqueue) {
      const Place &place = places[enqueue.getKernelAttr().getAttr()];
      // Also a depth that an earlier run gave is replaced.
      enqueue.getDepthMutable().clear();
      if (!place.members.empty())
        enqueue.getDepthMutable().assign(buildDepth(enqueue, place, solver));
    });
  }

  /// `components` are the stages before any were joined.
  void splitStages(ArrayRef<DependenceGraph::Component> components,
                   DenseMap<StringAttr, Place> &places) {
    NestingDepth depths(getOperation());
    DenseMap<StringAttr, unsigned> nesting;
    getOperation().walk([&](EnqueueOp enqueue) {
      unsigned depth = depths.get(enqueue);
      auto [it, first] =
          nesting.try_emplace(enqueue.getKernelAttr().getAttr(), depth);
      it->second = std::min(it->second, depth);
    });
    DenseMap<int64_t, int64_t> numParts;
    for (const DependenceGraph::Component &component : components) {
      DenseMap<DependenceNode *, unsigned> nestingOfNodes;
      for (DependenceNode *node : component.nodes)
        nestingOfNodes[node] =
            nesting.lookup(cast<KernelOp>(node->op).getSymNameAttr());
      StageOrder order = orderStage(component, nestingOfNodes);
      if (order.parts.empty())
        continue;
      ++numSplit;
      auto setTurn = [&](DependenceNode *node, Turn turn) {
        auto kernel = cast<KernelOp>(node->op);
        kernel.setTurn(turn);
        Place &place = places[kernel.getSymNameAttr()];
        place.turn = turn;
        if (turn != Turn::First)
          kernel.setPart(numParts[place.stage]++);
      };
      for (DependenceNode *node : order.first)
        setTurn(node, Turn::First);
      for (const DependenceGraph::Component &part : order.parts)
        setTurn(part.nodes.front(), part.cyclic ? Turn::Steps : Turn::Once);
    }
  }
};
} // namespace
