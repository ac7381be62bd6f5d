//===- RecurrentOps.cpp - Tensor ops on cycles of the data flow -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentOps.h"
#include "dynbatch/Analysis/RecurrenceAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// A tensor op and those that may make its operands. The root depends on all.
struct OpNode {
  Operation *op = nullptr;
  SetVector<OpNode *> producers;
};
} // namespace

namespace llvm {
template <> struct GraphTraits<OpNode *> {
  using NodeRef = OpNode *;
  using ChildIteratorType = SetVector<OpNode *>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->producers.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->producers.end();
  }
};
} // namespace llvm

std::optional<RecurrentOps>
RecurrentOps::find(ModuleOp module, ArrayRef<Operation *> tensorOps) {
  llvm::MapVector<StringAttr, std::unique_ptr<OpNode>> nodes;
  DenseMap<Operation *, StringAttr> names;
  OpNode root;
  for (auto [i, op] : llvm::enumerate(tensorOps)) {
    auto name = StringAttr::get(module.getContext(), Twine(i));
    names[op] = name;
    auto node = std::make_unique<OpNode>();
    node->op = op;
    root.producers.insert(node.get());
    nodes[name] = std::move(node);
  }

  DataFlowSolver solver(DataFlowConfig().setInterprocedural(true));
  dataflow::loadBaselineAnalyses(solver);
  solver.load<RecurrenceAnalysis>(
      [&](Operation *op) { return names.lookup(op); });
  if (failed(solver.initializeAndRun(module)))
    return std::nullopt;

  for (auto &[name, node] : nodes) {
    SetVector<Value> used(node->op->operand_begin(), node->op->operand_end());
    getUsedValuesDefinedAbove(node->op->getRegions(), used);
    for (Value value : used) {
      KernelSet makers = RecurrenceAnalysis::get(solver, value);
      if (makers.isAny())
        node->producers.insert_range(root.producers);
      for (StringAttr maker : makers.getNames())
        node->producers.insert(nodes[maker].get());
    }
  }
  RecurrentOps result;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it)
    if (it.hasCycle())
      for (OpNode *node : *it)
        if (node->op)
          result.recurrent.insert(node->op);
  result.forcedReads =
      module.walk([](ReadOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  return result;
}
