//===- RecurrentOps.cpp - Tensor ops on cycles of the data flow -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentOps.h"
#include "dynbatch/Analysis/DependenceGraph.h"
#include "dynbatch/Analysis/RecurrenceAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;

std::optional<RecurrentOps>
RecurrentOps::find(ModuleOp module, ArrayRef<Operation *> tensorOps) {
  DependenceGraph graph;
  DenseMap<Operation *, StringAttr> names;
  for (auto [i, op] : llvm::enumerate(tensorOps)) {
    names[op] = StringAttr::get(module.getContext(), Twine(i));
    graph.add(names[op], op);
  }
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(true));
  dataflow::loadBaselineAnalyses(solver);
  solver.load<RecurrenceAnalysis>(
      [&](Operation *op) { return names.lookup(op); });
  if (failed(solver.initializeAndRun(module)))
    return std::nullopt;

  for (Operation *op : tensorOps) {
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    graph.addUses(graph.lookup(names[op]), used.getArrayRef(), solver);
  }
  RecurrentOps result;
  for (const DependenceGraph::Component &component : graph.getComponents())
    if (component.cyclic)
      for (DependenceNode *node : component.nodes)
        result.recurrent.insert(node->op);
  result.forcedReads =
      module.walk([](ReadOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return result;
}
