//===- TestSharingAnalysis.cpp - Test of SharingAnalysis -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestAnalysis.h"
#include "dynbatch/Analysis/SharingAnalysis.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
struct TestSharingAnalysis
    : PassWrapper<TestSharingAnalysis, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSharingAnalysis)

  StringRef getArgument() const final { return "test-dynbatch-sharing"; }
  StringRef getDescription() const final {
    return "Say on tagged ops which values are parameters";
  }
  void runOnOperation() override {
    if (failed(test::emitResults<SharingAnalysis>(getOperation())))
      signalPassFailure();
  }
};
} // namespace

namespace mlir::dynbatch::test {
void registerTestSharingAnalysis() { PassRegistration<TestSharingAnalysis>(); }
} // namespace mlir::dynbatch::test
