//===- PassDumps.cpp - IR after each pass, as text -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/PassDumps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
class Recorder : public PassInstrumentation {
public:
  explicit Recorder(std::vector<PassDump> &dumps) : dumps(dumps) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    before.emplace_back(op);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    OperationFingerPrint old = before.pop_back_val();
    // The pass manager's own adaptors for nested ops have no argument.
    if (pass->getArgument().empty() || old == OperationFingerPrint(op))
      return;
    PassDump dump;
    dump.pass = pass->getArgument().str();
    dump.op = op->getName().getStringRef().str();
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      if (StringAttr name = symbol.getNameAttr())
        dump.op += " @" + name.str();
    llvm::raw_string_ostream stream(dump.ir);
    op->print(stream, OpPrintingFlags().useLocalScope());
    dumps.push_back(std::move(dump));
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    before.pop_back();
  }

private:
  std::vector<PassDump> &dumps;
  SmallVector<OperationFingerPrint> before;
};
} // namespace

void mlir::dynbatch::recordPasses(PassManager &pm,
                                  std::vector<PassDump> &dumps) {
  pm.getContext()->disableMultithreading();
  pm.addInstrumentation(std::make_unique<Recorder>(dumps));
}
