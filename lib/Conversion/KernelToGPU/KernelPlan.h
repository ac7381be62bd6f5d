//===- KernelPlan.h - Launches of a kernel -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_KERNELPLAN_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_KERNELPLAN_H

#include "Contraction.h"
#include "Sources.h"

namespace mlir::dynbatch {

/// Threads that exchange values without a barrier. Reductions that threads
/// share have at least so many.
constexpr int64_t kWarpSize = 32;

/// Where the elements of a computed tensor are stored.
struct Storage {
  bool isGlobal() const { return !results.empty() || scratch; }

  SmallVector<unsigned> results;  ///< numbers of the kernel's results
  std::optional<int64_t> scratch; ///< bytes of a task that lie before it
  bool workgroup = false;
};

/// Tensors of the same shape, computed element by element in one loop.
struct Step {
  SmallVector<int64_t> shape;
  SmallVector<Value> values; ///< in order; some are not stored
  /// Reads what other threads of the block have stored in an earlier step.
  bool barrier = false;
  /// A reduction that threads share.
  bool cooperative = false;
};

/// What runs as one launch: a contraction with what is computed from the same
/// elements of its result, or steps of which later ones may read what earlier
/// ones stored for the same point. A point is a position in the leading
/// `prefix` dimensions.
struct Launch {
  int64_t getNumGroups() const;

  std::optional<Contraction> contraction;
  /// The columns of the contraction are groups of this width, of which one
  /// thread has the same columns each. 0: not decided.
  int64_t width = 0;
  /// Of a contraction: the elements of its result and what is made of them.
  SmallVector<Step> steps;
  unsigned prefix = 0;
  int64_t points = 1;  ///< points of a block
  int64_t threads = 1; ///< threads of a point
};

struct PlanOptions {
  int64_t threads;        ///< most threads of a block
  int64_t workgroupBytes; ///< most workgroup memory of a block
};

/// Divides a batched kernel into launches and decides which tensors are stored,
/// and where.
class KernelPlan {
public:
  explicit KernelPlan(KernelOp kernel);

  /// Emits an error if the kernel cannot be lowered.
  LogicalResult run(const PlanOptions &options);

  ArrayRef<Launch> getLaunches() const { return launches; }
  /// Whether a launch stores nothing.
  bool isEmpty(const Launch &launch) const;
  /// Null for a tensor that is not stored.
  const Storage *getStorage(Value value) const {
    auto it = storage.find(value);
    return it == storage.end() ? nullptr : &it->second;
  }
  /// Whether launches from number `launch` on find `value` in global memory.
  bool isStoredBefore(Value value, unsigned launch) const;
  int64_t getRowScratchBytes() const { return rowScratchBytes; }
  /// Ops that are part of a contraction's launch.
  unsigned getNumFused() const { return numFused; }

private:
  /// A tensor that is computed: by what (a scatter if it is a view), where, and
  /// from what. Null if it was an accumulator that nobody else sees.
  struct Node {
    Operation *op;
    Value value;
    SmallVector<Source> sources;
    unsigned launch = 0, step = 0;
  };

  void addNode(Operation *op);
  void placeContraction(Node &node, const Contraction &contraction);
  void place(Node &node);
  /// Whether `node` can be computed from the elements that a thread has of the
  /// contraction of a launch.
  bool canFuse(const Node &node, unsigned launch);
  void placeInSteps(Node &node, unsigned launch);
  void decideStorage();
  void decideBarriers(unsigned launch, ArrayRef<Node *> nodes);
  void decideBlock(Launch &launch, ArrayRef<Node *> nodes,
                   const PlanOptions &options);
  void placeScratch();
  /// The last launch of what `sources` name, -1 if there is none.
  int64_t getLastLaunch(ArrayRef<Source> sources) const;
  Node &getMaker(Value value) { return *makers.find(value)->second; }
  const Node &getMaker(Value value) const {
    return *makers.find(value)->second;
  }

  KernelOp kernel;
  BatchedValues batched;
  std::vector<std::unique_ptr<Node>> nodes;
  DenseMap<Value, Node *> makers;
  std::vector<Launch> launches;
  DenseMap<Value, Storage> storage;
  int64_t rowScratchBytes = 0;
  unsigned numFused = 0;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_KERNELPLAN_H
