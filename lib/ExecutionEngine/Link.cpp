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

/// Removes the program's declaration of what `function` defines.
static LogicalResult replaceDeclaration(func::FuncOp declaration,
                                        func::FuncOp function,
                                        SymbolTable &symbols) {
  if (declaration.getFunctionType() != function.getFunctionType()) {
    InFlightDiagnostic diagnostic =
        declaration.emitOpError("is declared with type ")
        << declaration.getFunctionType()
        << ", but the linked function has type " << function.getFunctionType();
    diagnostic.attachNote(function.getLoc()) << "the linked function";
    return diagnostic;
  }
  symbols.erase(declaration);
  return success();
}

LogicalResult mlir::dynbatch::link(ModuleOp program, ModuleOp library) {
  SymbolTable symbols(program);
  SymbolTable others(library);
  for (Operation &op : llvm::make_early_inc_range(*library.getBody())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol)
      return op.emitError("a linked module may hold symbols alone");
    auto function = dyn_cast<func::FuncOp>(op);
    bool defines = function && !function.isDeclaration();
    Operation *taken = symbols.lookup(symbol.getNameAttr());
    auto declaration = dyn_cast_or_null<func::FuncOp>(taken);
    if (declaration && declaration.isDeclaration() && defines) {
      if (failed(replaceDeclaration(declaration, function, symbols)))
        return failure();
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
