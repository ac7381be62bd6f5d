//===- dynbatch-opt.cpp - Optimizer driver -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef DYNBATCH_INCLUDE_TESTS
namespace mlir::dynbatch::test {
void registerTestRecurrenceAnalysis();
void registerTestSharingAnalysis();
} // namespace mlir::dynbatch::test
#endif

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mlir::dynbatch::registerAllPasses();
#ifdef DYNBATCH_INCLUDE_TESTS
  mlir::dynbatch::test::registerTestRecurrenceAnalysis();
  mlir::dynbatch::test::registerTestSharingAnalysis();
#endif

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  // Passes that compile GPU kernels translate them.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  mlir::dynbatch::registerAllDialects(registry);

  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "dynbatch optimizer driver\n", registry));
}
