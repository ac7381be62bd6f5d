//===- FiberOps.cpp - Concurrent calls inside of an instance -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Dynbatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

LogicalResult SpawnOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto callee = tables.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee || isa<KernelOp>(callee))
    return emitOpError() << "unknown function @" << getCallee();
  // Below dynbatch-pass-context functions have the runtime's context, too.
  ArrayRef<Type> inputs = callee.getArgumentTypes();
  if (inputs.size() == getArguments().size() + 1)
    inputs = inputs.drop_front();
  if (TypeRange(inputs) != TypeRange(getArguments().getTypes()) ||
      callee.getResultTypes() != getFiber().getType().getResultTypes())
    return emitOpError() << "does not fit function @" << getCallee()
                         << " of type " << callee.getFunctionType();
  return success();
}

LogicalResult JoinOp::verify() {
  if (TypeRange(getResultTypes()) !=
      TypeRange(getFiber().getType().getResultTypes()))
    return emitOpError() << "gives (" << getResultTypes() << "), but the fiber is "
                         << getFiber().getType();
  return success();
}
