//===- DependenceGraph.h - Which producers' tensors depend on which -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_ANALYSIS_DEPENDENCEGRAPH_H
#define DYNBATCH_ANALYSIS_DEPENDENCEGRAPH_H

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::dynbatch {

/// Something that makes tensors, the others that may make its operands, and
/// those that may use its results.
struct DependenceNode {
  Operation *op = nullptr;
  /// Position in which it was added.
  unsigned index = 0;
  llvm::SetVector<DependenceNode *> producers, consumers;
};

/// Dependences between the producers that RecurrenceAnalysis knows: kernels,
/// or single tensor ops before there are kernels.
class DependenceGraph {
public:
  DependenceNode *add(StringAttr name, Operation *op);
  DependenceNode *lookup(StringAttr name) { return nodes[name].get(); }

  /// `consumer` uses `values`. `solver` has run RecurrenceAnalysis.
  void addUses(DependenceNode *consumer, ValueRange values,
               DataFlowSolver &solver);

  /// Whether `consumer` may depend on `producer`, through others too.
  static bool reaches(DependenceNode *producer, DependenceNode *consumer);
  /// From now on what depends on one of them depends on both, and they on each
  /// other: they become parts of one component.
  static void link(DependenceNode *lhs, DependenceNode *rhs);

  /// A strongly connected component, its nodes in the order of their indices.
  struct Component {
    SmallVector<DependenceNode *> nodes;
    /// Whether what the nodes make may depend on itself.
    bool cyclic;
  };
  /// Producers come before consumers.
  SmallVector<Component> getComponents();

  /// The graph of the kernels of `module`, by their symbols.
  static DependenceGraph ofKernels(ModuleOp module, DataFlowSolver &solver);

private:
  llvm::MapVector<StringAttr, std::unique_ptr<DependenceNode>> nodes;
  /// Has no op and depends on all nodes.
  DependenceNode root;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_ANALYSIS_DEPENDENCEGRAPH_H
