//===- Link.cpp - Functions of other modules -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// An error unless `declaration` may stand for `function`.
static LogicalResult checkDeclaration(func::FuncOp declaration,
                                      func::FuncOp function) {
  if (declaration.getFunctionType() == function.getFunctionType())
    return success();
  InFlightDiagnostic diagnostic =
      declaration.emitOpError("is declared with type ")
      << declaration.getFunctionType()
      << ", but the linked function has type " << function.getFunctionType();
  diagnostic.attachNote(function.getLoc()) << "the linked function";
  return diagnostic;
}

LogicalResult mlir::dynbatch::link(ModuleOp program, ModuleOp library) {
  SymbolTable symbols(program);
  SymbolTable others(library);
  for (Operation &op : llvm::make_early_inc_range(*library.getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol)
      return op.emitError("a linked module may hold symbols alone");
    auto function = dyn_cast<func::FuncOp>(op);
    Operation *taken = symbols.lookup(symbol.getNameAttr());
    auto known = dyn_cast_or_null<func::FuncOp>(taken);
    if (function && function.isDeclaration() && known) {
      if (failed(checkDeclaration(function, known)))
        return failure();
      others.erase(function);
      continue;
    }
    if (function && known && known.isDeclaration()) {
      if (failed(checkDeclaration(known, function)))
        return failure();
      symbols.erase(known);
    } else if (taken && failed(others.renameToUnique(&op, {&symbols}))) {
      return failure();
    }
    symbol.setPrivate();
    others.remove(&op);
    op.remove();
    symbols.insert(&op);
  }
  return success();
}
