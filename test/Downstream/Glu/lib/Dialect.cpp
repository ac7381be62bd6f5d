//===- Dialect.cpp - Gated linear units -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Glu/Glu.h"

using namespace mlir;

#include "Glu/GluDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Glu/GluOps.cpp.inc"

void glu::GluDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Glu/GluOps.cpp.inc"
      >();
}

LogicalResult glu::GateOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (input.getRank() == 0 ||
      input.getShape().drop_back() != result.getShape().drop_back() ||
      input.getShape().back() != 2 * result.getShape().back() ||
      input.getElementType() != result.getElementType())
    return emitOpError("expects a result with half of the input's last "
                       "dimension");
  return success();
}
