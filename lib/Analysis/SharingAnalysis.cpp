//===- SharingAnalysis.cpp - Which values are parameters -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/SharingAnalysis.h"
#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;

Sharing Sharing::join(const Sharing &lhs, const Sharing &rhs) {
  if (lhs.kind == Kind::Unknown)
    return rhs;
  if (rhs.kind == Kind::Unknown)
    return lhs;
  return lhs == rhs ? lhs : varying();
}

void Sharing::print(raw_ostream &os) const {
  switch (kind) {
  case Kind::Unknown:
    os << "unknown";
    return;
  case Kind::Parameter:
    os << "parameter " << name;
    return;
  case Kind::ParameterOnly:
    os << "parameter-only";
    return;
  case Kind::Varying:
    os << "varying";
    return;
  }
}

LogicalResult
SharingAnalysis::visitOperation(Operation *op,
                                ArrayRef<const SharingLattice *> operands,
                                ArrayRef<SharingLattice *> results) {
  if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op)) {
    auto name = FlatSymbolRefAttr::get(load.getGlobal().getLeafReference());
    propagateIfChanged(results[0], results[0]->join(Sharing::parameter(name)));
    return success();
  }
  SmallVector<const SharingLattice *> inputs(operands);
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region, [&](OpOperand *captured) {
      inputs.push_back(
          getLatticeElementFor(getProgramPointAfter(op), captured->get()));
    });
  // Without inputs only a constant is sure to give the same value again: a
  // linalg.index does not. A task belongs to the instance that makes it.
  bool isShared = isMemoryEffectFree(op) && !isa<EnqueueOp>(op) &&
                  (!inputs.empty() || isa<tensor::EmptyOp>(op) ||
                   op->hasTrait<OpTrait::ConstantLike>());
  if (isShared) {
    // Wait for inputs that the analysis has not reached yet.
    auto isUnknown = [](const SharingLattice *input) {
      return input->getValue().getKind() == Sharing::Kind::Unknown;
    };
    if (llvm::any_of(inputs, isUnknown))
      return success();
    isShared = llvm::all_of(inputs, [](const SharingLattice *input) {
      return input->getValue().isShared();
    });
  }
  for (auto [value, lattice] : llvm::zip_equal(op->getResults(), results))
    propagateIfChanged(lattice,
                       lattice->join(isShared ? Sharing::parameterOnly(value)
                                              : Sharing::varying()));
  return success();
}

Sharing SharingAnalysis::get(DataFlowSolver &solver, Value value) {
  const auto *lattice = solver.lookupState<SharingLattice>(value);
  if (!lattice || lattice->getValue().getKind() == Sharing::Kind::Unknown)
    return Sharing::varying();
  return lattice->getValue();
}
