//===- RecurrenceAnalysis.cpp - Which kernels made a tensor -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/RecurrenceAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Transforms/RegionUtils.h"

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

KernelSet KernelSet::getAny() {
  KernelSet set;
  set.any = true;
  return set;
}

bool KernelSet::contains(StringAttr name) const {
  return any || std::binary_search(names.begin(), names.end(), name, isBefore);
}

bool KernelSet::merge(const KernelSet &other) {
  if (any)
    return false;
  if (other.any) {
    *this = other;
    return true;
  }
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
  if (any) {
    os << "any";
    return;
  }
  os << '{';
  llvm::interleaveComma(names, os,
                        [&](StringAttr name) { os << '@' << name.getValue(); });
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

/// Whether values of this type hold tensors of kernels. What an ADT holds is
/// known by its constructors' fields.
static bool holdsTensors(Type type) {
  while (auto seq = dyn_cast<SeqType>(type))
    type = seq.getElementType();
  return isa<TensorType>(type);
}

void RecurrenceAnalysis::setToEntryState(KernelSetLattice *lattice) {
  if (holdsTensors(lattice->getAnchor().getType()))
    propagateIfChanged(lattice, lattice->join(KernelSet::getAny()));
}

LogicalResult
RecurrenceAnalysis::visitOperation(Operation *op,
                                   ArrayRef<const KernelSetLattice *> operands,
                                   ArrayRef<KernelSetLattice *> results) {
  if (auto construct = dyn_cast<ConstructOp>(op)) {
    CtorOp ctor =
        lookupCtor(op, construct.getResult().getType(), construct.getCtor());
    auto *state = getOrCreate<CtorState>(getProgramPointBefore(ctor));
    for (auto [i, operand] : llvm::enumerate(operands))
      propagateIfChanged(state, state->join(i, operand->getValue()));
    return success();
  }
  KernelSet set;
  StringAttr producer = getProducer ? getProducer(op) : StringAttr();
  if (auto enqueue = dyn_cast<EnqueueOp>(op))
    producer = enqueue.getKernelAttr().getAttr();
  if (producer) {
    set = KernelSet::of(producer);
  } else {
    // Views, sequence ops, and tensor ops that are not outlined yet.
    for (const KernelSetLattice *operand : operands)
      set.merge(operand->getValue());
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      set.merge(
          getLatticeElementFor(getProgramPointAfter(op), value)->getValue());
  }
  // The scalars that a forced read gives are there already.
  for (KernelSetLattice *result : results)
    if (holdsTensors(result->getAnchor().getType()))
      propagateIfChanged(result, result->join(set));
  return success();
}

void RecurrenceAnalysis::visitCallableOperation(
    CallableOpInterface callable,
    ArrayRef<dataflow::AbstractSparseLattice *> arguments) {
  ProgramPoint *entry =
      getProgramPointBefore(&callable.getCallableRegion()->front());
  const auto *callers = getOrCreateFor<dataflow::PredecessorState>(
      entry, getProgramPointAfter(callable));
  // Kernels are called by the runtime, public functions from outside, too; a
  // private function of which not every use is a call could be called anywhere.
  auto symbol = dyn_cast<SymbolOpInterface>(callable.getOperation());
  if (!callers->allPredecessorsKnown() && !isa<KernelOp>(callable) &&
      !(symbol && symbol.isPublic()))
    return AbstractSparseForwardDataFlowAnalysis::setAllToEntryStates(
        arguments);
  for (Operation *caller : callers->getKnownPredecessors())
    for (auto [operand, argument] : llvm::zip_equal(
             cast<CallOpInterface>(caller).getArgOperands(), arguments))
      join(argument, *getLatticeElementFor(entry, operand));
}

void RecurrenceAnalysis::visitNonControlFlowArguments(
    Operation *op, const RegionSuccessor &successor,
    ArrayRef<KernelSetLattice *> arguments, unsigned firstIndex) {
  ProgramPoint *point =
      successor.isParent()
          ? getProgramPointAfter(op)
          : getProgramPointBefore(&successor.getSuccessor()->front());
  auto joinValue = [&](KernelSetLattice *lattice, Value value) {
    join(lattice, *getLatticeElementFor(point, value));
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
    return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(
        op, successor, arguments, firstIndex);
  if (!successor.isParent()) {
    auto map = dyn_cast<MapOp>(op);
    OperandRange inputs = map ? map.getInputs() : cast<ScanOp>(op).getInputs();
    for (auto [argument, input] : llvm::zip(arguments, inputs))
      joinValue(argument, input);
    return;
  }
  unsigned numCarried =
      isa<ScanOp>(op) ? cast<ScanOp>(op).getInits().size() : 0;
  Operation *yield = op->getRegion(0).front().getTerminator();
  for (unsigned i = numCarried, e = arguments.size(); i < e; ++i)
    joinValue(arguments[i], yield->getOperand(i));
}

KernelSet RecurrenceAnalysis::get(DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<KernelSetLattice>(value);
  return lattice ? lattice->getValue() : KernelSet();
}
