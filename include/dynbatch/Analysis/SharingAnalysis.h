//===- SharingAnalysis.h - Which values are parameters -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_ANALYSIS_SHARINGANALYSIS_H
#define DYNBATCH_ANALYSIS_SHARINGANALYSIS_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::dynbatch {

/// How a value relates to the instances of a minibatch.
class Sharing {
public:
  enum class Kind {
    Unknown,       ///< not computed (bottom)
    Parameter,     ///< always the same parameter, which is named
    ParameterOnly, ///< computed from parameters and constants alone
    Varying        ///< may differ between instances or tasks (top)
  };

  Sharing() = default;
  static Sharing parameter(FlatSymbolRefAttr name) {
    return Sharing(Kind::Parameter, name);
  }
  /// `definition` is the op result that holds the value.
  static Sharing parameterOnly(Value definition) {
    return Sharing(Kind::ParameterOnly, {}, definition);
  }
  static Sharing varying() { return Sharing(Kind::Varying); }

  Kind getKind() const { return kind; }
  /// The parameter's name; null unless the kind is Parameter.
  FlatSymbolRefAttr getParameter() const { return name; }
  /// The op result that the value comes from, perhaps through calls; null
  /// unless the kind is ParameterOnly.
  Value getDefinition() const { return definition; }
  /// Whether every instance sees the same value.
  bool isShared() const {
    return kind == Kind::Parameter || kind == Kind::ParameterOnly;
  }

  bool operator==(const Sharing &other) const {
    return kind == other.kind && name == other.name &&
           definition == other.definition;
  }
  /// Two different values that meet vary: which one it is depends on the path.
  static Sharing join(const Sharing &lhs, const Sharing &rhs);
  void print(raw_ostream &os) const;

private:
  explicit Sharing(Kind kind, FlatSymbolRefAttr name = {},
                   Value definition = {})
      : kind(kind), name(name), definition(definition) {}

  Kind kind = Kind::Unknown;
  FlatSymbolRefAttr name;
  Value definition;
};

using SharingLattice = dataflow::Lattice<Sharing>;

/// Interprocedural taint analysis: whether a value is one parameter, depends on
/// parameters alone, or varies. Inputs of the entry vary. Needs
/// dataflow::loadBaselineAnalyses in the same solver.
class SharingAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<SharingLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const SharingLattice *> operands,
                               ArrayRef<SharingLattice *> results) override;
  void setToEntryState(SharingLattice *lattice) override {
    propagateIfChanged(lattice, lattice->join(Sharing::varying()));
  }

  /// The result of the analysis for `value`; varying where it did not reach.
  static Sharing get(DataFlowSolver &solver, Value value);
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_ANALYSIS_SHARINGANALYSIS_H
