//===- DependenceGraph.cpp - Which producers' tensors depend on which -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/DependenceGraph.h"
#include "dynbatch/Analysis/RecurrenceAnalysis.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace llvm {
template <> struct GraphTraits<DependenceNode *> {
  using NodeRef = DependenceNode *;
  using ChildIteratorType = SetVector<DependenceNode *>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->producers.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->producers.end();
  }
};
} // namespace llvm

DependenceNode *DependenceGraph::add(StringAttr name, Operation *op) {
  auto node = std::make_unique<DependenceNode>();
  node->op = op;
  node->index = nodes.size();
  root.producers.insert(node.get());
  return (nodes[name] = std::move(node)).get();
}

void DependenceGraph::addUses(DependenceNode *consumer, ValueRange values,
                              DataFlowSolver &solver) {
  auto addEdge = [&](DependenceNode *producer) {
    consumer->producers.insert(producer);
    producer->consumers.insert(consumer);
  };
  for (Value value : values) {
    KernelSet makers = RecurrenceAnalysis::get(solver, value);
    if (makers.isAny())
      llvm::for_each(root.producers, addEdge);
    for (StringAttr name : makers.getNames())
      addEdge(lookup(name));
  }
}

bool DependenceGraph::reaches(DependenceNode *producer,
                              DependenceNode *consumer) {
  SetVector<DependenceNode *> reachable;
  reachable.insert(producer);
  for (size_t i = 0; i < reachable.size(); ++i)
    reachable.insert_range(reachable[i]->consumers);
  return reachable.contains(consumer);
}

void DependenceGraph::link(DependenceNode *lhs, DependenceNode *rhs) {
  lhs->producers.insert(rhs);
  rhs->producers.insert(lhs);
  lhs->consumers.insert(rhs);
  rhs->consumers.insert(lhs);
}

SmallVector<DependenceGraph::Component> DependenceGraph::getComponents() {
  SmallVector<Component> components;
  for (auto it = llvm::scc_begin(&root); !it.isAtEnd(); ++it) {
    if (!it->front()->op)
      continue;
    Component component = {llvm::to_vector(*it), it.hasCycle()};
    // Nothing may depend on addresses.
    llvm::sort(component.nodes, [](DependenceNode *lhs, DependenceNode *rhs) {
      return lhs->index < rhs->index;
    });
    components.push_back(std::move(component));
  }
  return components;
}

DependenceGraph DependenceGraph::ofKernels(ModuleOp module,
                                           DataFlowSolver &solver) {
  DependenceGraph graph;
  for (auto kernel : module.getOps<KernelOp>())
    graph.add(kernel.getSymNameAttr(), kernel);
  module.walk([&](EnqueueOp enqueue) {
    graph.addUses(graph.lookup(enqueue.getKernelAttr().getAttr()),
                  enqueue.getTaskOperands(), solver);
  });
  return graph;
}
