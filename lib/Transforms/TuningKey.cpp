//===- TuningKey.cpp - Kernels with the same code ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningKey.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::dynbatch;

std::string mlir::dynbatch::getTuningKey(KernelOp kernel) {
  OwningOpRef<KernelOp> copy = kernel.clone();
  copy->setSymName("kernel");
  // Fields of the schedule.
  copy->removeStageAttr();
  copy->removePartAttr();
  copy->removeTurnAttr();
  copy->setCyclic(false);
  copy->walk([](ml_program::GlobalLoadConstOp load) {
    load.setGlobalAttr(SymbolRefAttr::get(load.getContext(), "parameter"));
  });
  // Whatever the command line says about printing.
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope().enableDebugInfo(false);
  flags.elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  flags.elideLargeResourceString(std::numeric_limits<int64_t>::max());
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, flags);
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
}
