//===- glu-opt.cpp - Optimizer driver -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Glu/Glu.h"
#include "dynbatch/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  // --dynbatch-pipeline and the others, with the lowering of glu.gate in them.
  mlir::dynbatch::registerAllPasses(glu::getPipelineHooks());
  glu::registerPasses();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::dynbatch::registerAllDialects(registry);
  glu::registerDialect(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "glu optimizer driver\n", registry));
}
