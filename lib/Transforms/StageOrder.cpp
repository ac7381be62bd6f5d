//===- StageOrder.cpp - How a cyclic stage goes on in rounds -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageOrder.h"
#include "mlir/Analysis/CallGraph.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"
#include <tuple>

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

static unsigned countLoopsAround(Operation *op) {
  unsigned loops = 0;
  for (auto branch = op->getParentOfType<RegionBranchOpInterface>(); branch;
       branch = branch->getParentOfType<RegionBranchOpInterface>())
    loops += branch.hasLoop();
  return loops;
}

NestingDepth::NestingDepth(ModuleOp module) {
  CallGraph graph(module);
  SymbolTableCollection symbols;
  DenseMap<Region *, SmallVector<CallOpInterface>> callers;
  module.walk([&](CallOpInterface call) {
    CallGraphNode *callee = graph.resolveCallable(call, symbols);
    if (!callee->isExternal())
      callers[callee->getCallableRegion()].push_back(call);
  });
  // Callees come first.
  SmallVector<std::pair<SmallVector<CallGraphNode *>, bool>> components;
  const CallGraph &callGraph = graph;
  for (auto it = llvm::scc_begin(&callGraph); !it.isAtEnd(); ++it)
    components.emplace_back(llvm::to_vector(*it), it.hasCycle());
  for (auto &[nodes, recursive] : llvm::reverse(components)) {
    std::optional<unsigned> outside;
    for (CallGraphNode *node : nodes) {
      if (node->isExternal())
        continue;
      for (CallOpInterface call : callers.lookup(node->getCallableRegion())) {
        auto caller = call->getParentOfType<CallableOpInterface>();
        // Calls from inside of the recursion have no depth yet.
        auto it = functions.find(caller.getCallableRegion());
        if (it == functions.end())
          continue;
        unsigned depth = it->second + countLoopsAround(call);
        outside = std::min(outside.value_or(depth), depth);
      }
    }
    for (CallGraphNode *node : nodes)
      if (!node->isExternal())
        functions[node->getCallableRegion()] = outside.value_or(0) + recursive;
  }
}

unsigned NestingDepth::get(Operation *op) const {
  auto func = op->getParentOfType<CallableOpInterface>();
  return functions.lookup(func.getCallableRegion()) + countLoopsAround(op);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The fewest nodes, `start` and others, that depend on one another in a
/// circle, of which there is one.
static SmallVector<DependenceNode *> findShortestCircle(DependenceNode *start) {
  // Breadth first; each node with the one before it.
  llvm::MapVector<DependenceNode *, DependenceNode *> reached;
  reached.insert({start, nullptr});
  for (size_t i = 0;; ++i) {
    DependenceNode *node = std::next(reached.begin(), i)->first;
    for (DependenceNode *next : node->consumers) {
      if (next != start || node == start) {
        reached.insert({next, node});
        continue;
      }
      SmallVector<DependenceNode *> circle;
      for (; node; node = reached.lookup(node))
        circle.push_back(node);
      return circle;
    }
  }
}

/// What is left of `component` without `first`; failure if kernels depend on
/// one another in a circle, which `circle` then receives.
static FailureOr<SmallVector<DependenceGraph::Component>>
findParts(const DependenceGraph::Component &component,
          ArrayRef<DependenceNode *> first,
          SmallVectorImpl<DependenceNode *> &circle) {
  DependenceGraph graph;
  DenseMap<DependenceNode *, DependenceNode *> copies, originals;
  for (DependenceNode *node : component.nodes) {
    if (llvm::is_contained(first, node))
      continue;
    DependenceNode *copy =
        graph.add(cast<KernelOp>(node->op).getSymNameAttr(), node->op);
    copies[node] = copy;
    originals[copy] = node;
  }
  for (DependenceNode *node : component.nodes)
    for (DependenceNode *producer : node->producers)
      if (copies.contains(node) && copies.contains(producer)) {
        copies[node]->producers.insert(copies[producer]);
        copies[producer]->consumers.insert(copies[node]);
      }
  SmallVector<DependenceGraph::Component> parts = graph.getComponents();
  for (DependenceGraph::Component &part : parts) {
    if (part.nodes.size() > 1) {
      for (DependenceNode *copy : findShortestCircle(part.nodes.front()))
        circle.push_back(originals.lookup(copy));
      return failure();
    }
    part.nodes.front() = originals.lookup(part.nodes.front());
  }
  return parts;
}

/// The simple cycles of two and more kernels of `component`, or as many as are
/// found in a bounded search.
static SmallVector<SmallVector<DependenceNode *>>
findCycles(const DependenceGraph::Component &component) {
  constexpr unsigned kMostVisits = 20000;
  DenseSet<DependenceNode *> members(component.nodes.begin(),
                                     component.nodes.end());
  SmallVector<SmallVector<DependenceNode *>> cycles;
  SmallVector<DependenceNode *> path;
  unsigned visits = 0;
  // A cycle is found from its earliest kernel.
  auto visit = [&](auto &&self, DependenceNode *node) -> void {
    if (++visits > kMostVisits)
      return;
    path.push_back(node);
    for (DependenceNode *next : node->consumers) {
      if (next == path.front() && path.size() > 1)
        cycles.push_back(path);
      else if (members.contains(next) && next->index > path.front()->index &&
               !llvm::is_contained(path, next))
        self(self, next);
    }
    path.pop_back();
  };
  for (DependenceNode *node : component.nodes)
    visit(visit, node);
  return cycles;
}

StageOrder mlir::dynbatch::orderStage(
    const DependenceGraph::Component &component,
    const DenseMap<DependenceNode *, unsigned> &nesting) {
  constexpr size_t kMostFirst = 3;
  ArrayRef<DependenceNode *> nodes = component.nodes;
  SmallVector<SmallVector<DependenceNode *>> cycles = findCycles(component);
  std::optional<StageOrder> best;
  std::tuple<unsigned, unsigned, unsigned, SmallVector<unsigned>> bestScore;
  auto consider = [&](SmallVector<DependenceNode *> first,
                      SmallVector<DependenceGraph::Component> parts) {
    llvm::sort(first, [](DependenceNode *lhs, DependenceNode *rhs) {
      return lhs->index < rhs->index;
    });
    unsigned meetings = 0, depth = 0;
    for (DependenceNode *node : first) {
      depth += nesting.lookup(node);
      for (ArrayRef<DependenceNode *> cycle : cycles)
        meetings += llvm::is_contained(cycle, node);
    }
    unsigned withSteps =
        llvm::count_if(parts, [](auto &part) { return part.cyclic; });
    auto score = std::make_tuple(
        meetings, withSteps, depth,
        SmallVector<unsigned>(llvm::map_range(
            first, [](DependenceNode *node) { return node->index; })));
    if (!best || score < bestScore) {
      best = StageOrder{std::move(first), std::move(parts)};
      bestScore = std::move(score);
    }
  };
  SmallVector<DependenceNode *> first;
  // Of each circle that is left some kernel must be first.
  auto tryAll = [&](auto &&self, size_t missing) -> void {
    SmallVector<DependenceNode *> circle;
    auto parts = findParts(component, first, circle);
    if (succeeded(parts))
      return consider(first, std::move(*parts));
    for (DependenceNode *node : circle) {
      if (!missing)
        return;
      first.push_back(node);
      self(self, missing - 1);
      first.pop_back();
    }
  };
  for (size_t size = 1; size <= kMostFirst && size < nodes.size() && !best;
       ++size)
    tryAll(tryAll, size);
  return best ? std::move(*best) : StageOrder{llvm::to_vector(nodes), {}};
}
