//===- TestRecurrenceAnalysis.cpp - Test of RecurrenceAnalysis -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestAnalysis.h"
#include "dynbatch/Analysis/RecurrenceAnalysis.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
struct TestRecurrenceAnalysis
    : PassWrapper<TestRecurrenceAnalysis, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRecurrenceAnalysis)

  StringRef getArgument() const final { return "test-dynbatch-recurrence"; }
  StringRef getDescription() const final {
    return "Say on tagged ops which kernels made a tensor";
  }
  void runOnOperation() override {
    if (failed(test::emitResults<RecurrenceAnalysis>(getOperation())))
      signalPassFailure();
  }
};
} // namespace

namespace mlir::dynbatch::test {
void registerTestRecurrenceAnalysis() {
  PassRegistration<TestRecurrenceAnalysis>();
}
} // namespace mlir::dynbatch::test
