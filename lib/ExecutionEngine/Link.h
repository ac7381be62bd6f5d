//===- Link.h - Functions of other modules -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_EXECUTIONENGINE_LINK_H
#define DYNBATCH_LIB_EXECUTIONENGINE_LINK_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::dynbatch {

/// Moves what `library` defines into `program`, where its functions take the
/// place of declarations of the same name and type and are private. What
/// `library` declares is the program's function of that name. Other symbols get
/// a new name where theirs is taken. The functions that the program does not
/// declare go with what nobody uses.
LogicalResult link(ModuleOp program, ModuleOp library);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_EXECUTIONENGINE_LINK_H
