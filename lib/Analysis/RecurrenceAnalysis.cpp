//===- RecurrenceAnalysis.cpp - Which kernels made a tensor -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/RecurrenceAnalysis.h"

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// KernelSet
//===----------------------------------------------------------------------===//

static bool isBefore(StringAttr lhs, StringAttr rhs) {
  return lhs.getValue() < rhs.getValue();
}

KernelSet KernelSet::of(StringAttr name) {
  KernelSet set;
  set.names.push_back(name);
  return set;
}

bool KernelSet::merge(const KernelSet &other) {
  SmallVector<StringAttr, 2> merged;
  std::set_union(names.begin(), names.end(), other.names.begin(),
                 other.names.end(), std::back_inserter(merged), isBefore);
  bool grew = merged.size() != names.size();
  names = std::move(merged);
  return grew;
}

KernelSet KernelSet::join(const KernelSet &lhs, const KernelSet &rhs) {
  KernelSet result = lhs;
  result.merge(rhs);
  return result;
}

void KernelSet::print(raw_ostream &os) const {
  os << '{';
  llvm::interleaveComma(names, os, [&](StringAttr name) {
    os << '@' << name.getValue();
  });
  os << '}';
}

//===----------------------------------------------------------------------===//
// CtorState
//===----------------------------------------------------------------------===//

namespace {
/// The kernels that made what any `construct` stored in the fields of one
/// constructor.
class CtorState : public AnalysisState {
public:
  using AnalysisState::AnalysisState;

  ChangeResult join(unsigned field, const KernelSet &set) {
    if (fields.size() <= field)
      fields.resize(field + 1);
    return fields[field].merge(set) ? ChangeResult::Change
                                    : ChangeResult::NoChange;
  }
  KernelSet get(unsigned field) const {
    return field < fields.size() ? fields[field] : KernelSet();
  }
  void print(raw_ostream &os) const override {
    llvm::interleaveComma(fields, os,
                          [&](const KernelSet &set) { set.print(os); });
  }

private:
  SmallVector<KernelSet> fields;
};
} // namespace

//===----------------------------------------------------------------------===//
// RecurrenceAnalysis
//===----------------------------------------------------------------------===//

LogicalResult RecurrenceAnalysis::visitOperation(
    Operation *op, ArrayRef<const KernelSetLattice *> operands,
    ArrayRef<KernelSetLattice *> results) {
  if (auto construct = dyn_cast<ConstructOp>(op)) {
    CtorOp ctor = lookupCtor(op, construct.getResult().getType(),
                             construct.getCtor());
    auto *state = getOrCreate<CtorState>(getProgramPointBefore(ctor));
    for (auto [i, operand] : llvm::enumerate(operands))
      propagateIfChanged(state, state->join(i, operand->getValue()));
    return success();
  }
  KernelSet set;
  if (auto enqueue = dyn_cast<EnqueueOp>(op))
    set = KernelSet::of(enqueue.getKernelAttr().getAttr());
  else
    // Views, sequence ops, and tensor ops that are not outlined yet.
    for (const KernelSetLattice *operand : operands)
      set.merge(operand->getValue());
  for (KernelSetLattice *result : results)
    propagateIfChanged(result, result->join(set));
  return success();
}

void RecurrenceAnalysis::visitNonControlFlowArguments(
    Operation *op, const RegionSuccessor &successor,
    ArrayRef<KernelSetLattice *> arguments, unsigned firstIndex) {
  ProgramPoint *point = successor.isParent()
                            ? getProgramPointAfter(op)
                            : getProgramPointBefore(
                                  &successor.getSuccessor()->front());
  auto joinValue = [&](KernelSetLattice *lattice, Value value) {
    const KernelSetLattice *source =
        static_cast<const KernelSetLattice *>(getLatticeElementFor(point, value));
    propagateIfChanged(lattice, lattice->join(source->getValue()));
  };

  if (auto match = dyn_cast<MatchOp>(op)) {
    unsigned index = successor.getSuccessor()->getRegionNumber();
    auto name = cast<FlatSymbolRefAttr>(match.getCases()[index]);
    CtorOp ctor =
        lookupCtor(op, match.getScrutinee().getType(), name.getValue());
    const auto *state =
        getOrCreateFor<CtorState>(point, getProgramPointBefore(ctor));
    for (auto [i, argument] : llvm::enumerate(arguments))
      propagateIfChanged(argument, argument->join(state->get(i)));
    return;
  }

  // Sequences: elements come out of the inputs and go into the outputs.
  if (!isa<MapOp, ScanOp>(op))
    return;
  if (!successor.isParent()) {
    auto map = dyn_cast<MapOp>(op);
    OperandRange inputs = map ? map.getInputs() : cast<ScanOp>(op).getInputs();
    for (auto [argument, input] : llvm::zip(arguments, inputs))
      joinValue(argument, input);
    return;
  }
  unsigned numCarried = isa<ScanOp>(op) ? cast<ScanOp>(op).getInits().size() : 0;
  Operation *yield = op->getRegion(0).front().getTerminator();
  for (unsigned i = numCarried, e = arguments.size(); i < e; ++i)
    joinValue(arguments[i], yield->getOperand(i));
}

KernelSet RecurrenceAnalysis::get(DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<KernelSetLattice>(value);
  return lattice ? lattice->getValue() : KernelSet();
}
