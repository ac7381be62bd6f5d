//===- LoweringOps.cpp - Ops below convert-dynbatch-to-scf -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Dynbatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

LogicalResult FieldOp::verifySymbolUses(SymbolTableCollection &tables) {
  AdtType type = getValue().getType();
  CtorOp ctor = lookupCtor(*this, type, getCtor(), &tables);
  if (!ctor)
    return emitOpError() << "ADT " << type.getName() << " has no constructor @"
                         << getCtor();
  SmallVector<Type> fields = ctor.getFieldTypes();
  if (getPosition() >= fields.size())
    return emitOpError() << "constructor @" << getCtor() << " has "
                         << fields.size() << " fields";
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
