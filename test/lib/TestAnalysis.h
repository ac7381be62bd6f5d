//===- TestAnalysis.h - Remarks with results of an analysis -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TEST_LIB_TESTANALYSIS_H
#define DYNBATCH_TEST_LIB_TESTANALYSIS_H

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Pass/Pass.h"

namespace mlir::dynbatch::test {

/// Runs `Analysis` on `module` and says on every op with the attribute `tag`
/// what it found: for the op's results, then for the arguments of each of its
/// regions.
template <typename Analysis> LogicalResult emitResults(ModuleOp module) {
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(true));
  dataflow::loadBaselineAnalyses(solver);
  solver.load<Analysis>();
  if (failed(solver.initializeAndRun(module)))
    return failure();
  auto emit = [&](Operation *op, const Twine &what, ValueRange values) {
    if (values.empty())
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(values, os, [&](Value value) {
      Analysis::get(solver, value).print(os);
    });
    op->emitRemark() << what << ": " << text;
  };
  module.walk([&](Operation *op) {
    if (!op->hasAttr("tag"))
      return;
    emit(op, "results", op->getResults());
    for (Region &region : op->getRegions())
      emit(op, "region #" + Twine(region.getRegionNumber()),
           region.getArguments());
  });
  return success();
}

} // namespace mlir::dynbatch::test

#endif // DYNBATCH_TEST_LIB_TESTANALYSIS_H
