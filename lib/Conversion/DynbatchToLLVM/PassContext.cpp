//===- PassContext.cpp - Host functions get the runtime's context -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunctions.h"
#include "RuntimeCalls.h"
#include "dynbatch/Conversion/Passes.h"
#include "mlir/Analysis/CallGraph.h"
#include "llvm/ADT/SCCIterator.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_PASSCONTEXT
#include "dynbatch/Conversion/HostPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// Functions that can reach themselves.
static DenseSet<Operation *> getRecursiveFunctions(const CallGraph &graph) {
  DenseSet<Operation *> recursive;
  for (auto it = llvm::scc_begin(&graph); !it.isAtEnd(); ++it)
    if (it.hasCycle())
      for (CallGraphNode *node : *it)
        if (!node->isExternal())
          recursive.insert(node->getCallableRegion()->getParentOp());
  return recursive;
}

namespace {
struct PassContext : dynbatch::impl::PassContextBase<PassContext> {
  using PassContextBase::PassContextBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions = getHostFunctions(module);
    DenseSet<Operation *> members(functions.begin(), functions.end());
    DenseSet<Operation *> recursive =
        getRecursiveFunctions(getAnalysis<CallGraph>());
    RuntimeCalls runtime(module);
    Type ptr = LLVM::LLVMPointerType::get(&getContext());
    SymbolTable symbols(module);
    OpBuilder builder(module);
    for (func::FuncOp func : functions) {
      if (failed(func.insertArgument(0, ptr, {}, func.getLoc())))
        return signalPassFailure();
      Value context = func.getArgument(0);
      WalkResult result = func.walk([&](func::CallOp call) {
        if (!members.contains(symbols.lookup(call.getCallee()))) {
          call.emitOpError() << "calls '" << call.getCallee()
                             << "', which has no body: an instance program "
                                "must be complete";
          return WalkResult::interrupt();
        }
        call->insertOperands(0, context);
        return WalkResult::advance();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
      if (!recursive.contains(func))
        continue;
      builder.setInsertionPointToStart(&func.getBody().front());
      runtime.createCheckStack(builder, func.getLoc(), context);
    }
  }
};
} // namespace
