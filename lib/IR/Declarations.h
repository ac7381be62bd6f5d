//===- Declarations.h - Checked lookup of declarations -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_IR_DECLARATIONS_H
#define DYNBATCH_LIB_IR_DECLARATIONS_H

#include "dynbatch/IR/Dynbatch.h"

namespace mlir::dynbatch {
/// Finds the declaration of `type`, or emits an error on `op`. An op in a
/// nested symbol table is verified before the declarations around it are, so
/// that a malformed one is an error here as well.
FailureOr<AdtOp> requireAdt(Operation *op, AdtType type,
                            SymbolTableCollection &tables);

/// Finds constructor `name` of `type`, or emits an error on `op`.
FailureOr<CtorOp> requireCtor(Operation *op, AdtType type, StringRef name,
                              SymbolTableCollection &tables);
} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_IR_DECLARATIONS_H
