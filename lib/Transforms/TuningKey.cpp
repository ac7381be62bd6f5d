//===- TuningKey.cpp - What a measurement of a kernel is about - -*- C++
//-*-===//
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
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
}
