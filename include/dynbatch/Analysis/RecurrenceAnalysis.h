//===- RecurrenceAnalysis.h - Which kernels made a tensor -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_ANALYSIS_RECURRENCEANALYSIS_H
#define DYNBATCH_ANALYSIS_RECURRENCEANALYSIS_H

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include <functional>

namespace mlir::dynbatch {

/// A set of kernels, by name; the tensors of a value (its own, or those inside
/// of a sequence) may have been made by any of them.
class KernelSet {
public:
  /// Whether any kernel may have made the tensors (top).
  bool isAny() const { return any; }
  /// Names in ascending order; none when any kernel may have.
  ArrayRef<StringAttr> getNames() const { return names; }
  bool contains(StringAttr name) const;
  /// Adds the names of `other`; returns whether there were new ones.
  bool merge(const KernelSet &other);
  static KernelSet of(StringAttr name);
  static KernelSet getAny();

  bool operator==(const KernelSet &other) const {
    return any == other.any && names == other.names;
  }
  static KernelSet join(const KernelSet &lhs, const KernelSet &rhs);
  void print(raw_ostream &os) const;

private:
  SmallVector<StringAttr, 2> names;
  bool any = false;
};

using KernelSetLattice = dataflow::Lattice<KernelSet>;

/// Interprocedural reachability: which kernels may have produced a tensor, or a
/// tensor inside of a sequence. What goes into an ADT is tracked for each field
/// of each constructor. Needs dataflow::loadBaselineAnalyses in the same
/// solver.
class RecurrenceAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<KernelSetLattice> {
public:
  /// Before kernels are outlined, `getProducer` can name further ops that make
  /// tensors; it returns null for all others.
  using ProducerNames = std::function<StringAttr(Operation *)>;
  explicit RecurrenceAnalysis(DataFlowSolver &solver,
                              ProducerNames getProducer = {})
      : SparseForwardDataFlowAnalysis(solver),
        getProducer(std::move(getProducer)) {}

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const KernelSetLattice *> operands,
                               ArrayRef<KernelSetLattice *> results) override;
  void visitNonControlFlowArguments(Operation *op,
                                    const RegionSuccessor &successor,
                                    ArrayRef<KernelSetLattice *> arguments,
                                    unsigned firstIndex) override;
  /// Where control flow cannot be followed. Scalars are no kernel's results.
  void setToEntryState(KernelSetLattice *lattice) override;

  /// The result of the analysis for `value`.
  static KernelSet get(DataFlowSolver &solver, Value value);

protected:
  /// Callers that are not in the module give instance data, which is ready.
  void visitCallableOperation(
      CallableOpInterface callable,
      ArrayRef<dataflow::AbstractSparseLattice *> arguments) override;

private:
  ProducerNames getProducer;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_ANALYSIS_RECURRENCEANALYSIS_H
