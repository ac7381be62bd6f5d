//===- HostFunctions.cpp - Which functions are host code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunctions.h"

using namespace mlir;
using namespace mlir::dynbatch;

SmallVector<func::FuncOp> mlir::dynbatch::getHostFunctions(ModuleOp module) {
  SymbolTable symbols(module);
  DenseSet<Operation *> device;
  SmallVector<Operation *> worklist;
  auto add = [&](StringRef name) {
    if (Operation *func = symbols.lookup(name);
        func && device.insert(func).second)
      worklist.push_back(func);
  };
  for (auto kernel : module.getOps<KernelOp>())
    if (std::optional<StringRef> name = kernel.getImplementation())
      add(*name);
  while (!worklist.empty())
    worklist.pop_back_val()->walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        add(call.getCallee());
      else if (auto constant = dyn_cast<func::ConstantOp>(op))
        add(constant.getValue());
    });
  return llvm::filter_to_vector(
      module.getOps<func::FuncOp>(), [&](func::FuncOp func) {
        return !func.isExternal() && !device.contains(func);
      });
}
