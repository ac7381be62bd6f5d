//===- LoweringOps.cpp - Ops below convert-dynbatch-to-scf -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "dynbatch/IR/Dynbatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

LogicalResult FieldOp::verifySymbolUses(SymbolTableCollection &tables) {
  AdtType type = getValue().getType();
  FailureOr<CtorOp> ctor = requireCtor(*this, type, getCtor(), tables);
  if (failed(ctor))
    return failure();
  SmallVector<Type> fields = ctor->getFieldTypes();
  if (getPosition() >= fields.size())
    return emitOpError() << "constructor @" << getCtor() << " has "
                         << fields.size() << " fields, and no field #"
                         << getPositionAttr().getInt();
  if (fields[getPosition()] != getResult().getType())
    return emitOpError() << "field #" << getPosition() << " of @" << getCtor()
                         << " is " << fields[getPosition()] << ", not "
                         << getResult().getType();
  return success();
}

LogicalResult RowOp::verify() {
  RankedTensorType tensor = getRows().getType().getBatchedType(1);
  auto want = MemRefType::get(tensor.getShape(), tensor.getElementType());
  if (getResult().getType() != want)
    return emitOpError() << "the buffer of a row is " << want << ", not "
                         << getResult().getType();
  return success();
}
