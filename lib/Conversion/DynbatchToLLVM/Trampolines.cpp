//===- Trampolines.cpp - Functions whose arguments lie in memory -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Calls `callee` with the values in the slots behind `arguments` and stores
/// what it returns in the slots behind `results`.
static void buildCall(OpBuilder &builder, func::FuncOp callee, Value ctx,
                      Value arguments, Value results,
                      HostTypeConverter &converter, RuntimeCalls &runtime) {
  Location loc = callee.getLoc();
  SmallVector<Value> values = {ctx};
  int64_t offset = 0;
  for (Type type : callee.getArgumentTypes().drop_front()) {
    Value slot = runtime.createOffset(builder, loc, arguments, offset);
    Value value = loadSlot(builder, loc, slot, converter.convertType(type));
    if (value.getType() != type)
      value = converter.materializeSourceConversion(builder, loc, type, value);
    values.push_back(value);
    offset += getSlotBytes(type);
  }
  auto call = func::CallOp::create(builder, loc, callee, values);
  offset = 0;
  for (Value result : call.getResults()) {
    Type converted = converter.convertType(result.getType());
    Value slot = runtime.createOffset(builder, loc, results, offset);
    offset += getSlotBytes(result.getType());
    if (converted != result.getType())
      result = converter.materializeTargetConversion(builder, loc, converted,
                                                     result);
    storeSlot(builder, loc, result, slot);
  }
}

/// An empty function with `numArguments` pointers at the end of the module.
static func::FuncOp createFunction(OpBuilder &builder, ModuleOp module,
                                   Location loc, StringRef name,
                                   int64_t numArguments) {
  SmallVector<Type> inputs(numArguments,
                           LLVM::LLVMPointerType::get(module.getContext()));
  auto func = func::FuncOp::create(builder, loc, name,
                                   builder.getFunctionType(inputs, {}));
  module.push_back(func);
  builder.setInsertionPointToStart(func.addEntryBlock());
  return func;
}

func::FuncOp mlir::dynbatch::buildEntry(ModuleOp module, func::FuncOp entry,
                                        HostTypeConverter &converter,
                                        RuntimeCalls &runtime) {
  OpBuilder builder(module.getContext());
  func::FuncOp func =
      createFunction(builder, module, entry.getLoc(), kEntrySymbol, 3);
  buildCall(builder, entry, func.getArgument(0), func.getArgument(1),
            func.getArgument(2), converter, runtime);
  func::ReturnOp::create(builder, entry.getLoc());
  return func;
}

std::string mlir::dynbatch::getFiberFunctionName(StringRef callee) {
  return (callee + "_fiber").str();
}

SmallVector<func::FuncOp> mlir::dynbatch::buildFiberFunctions(
    ModuleOp module, HostTypeConverter &converter, RuntimeCalls &runtime) {
  SetVector<StringAttr> names;
  module.walk([&](SpawnOp op) { names.insert(op.getCalleeAttr().getAttr()); });
  SmallVector<func::FuncOp> functions;
  for (StringAttr name : names) {
    auto callee = module.lookupSymbol<func::FuncOp>(name);
    OpBuilder builder(module.getContext());
    func::FuncOp func = createFunction(builder, module, callee.getLoc(),
                                       getFiberFunctionName(name), 2);
    Location loc = callee.getLoc();
    Value frame = func.getArgument(1);
    int64_t offset = sizeof(int64_t);
    Value results = runtime.createOffset(builder, loc, frame, offset);
    for (Type type : callee.getResultTypes())
      offset += getSlotBytes(type);
    Value arguments = runtime.createOffset(builder, loc, frame, offset);
    buildCall(builder, callee, func.getArgument(0), arguments, results,
              converter, runtime);
    func::ReturnOp::create(builder, loc);
    functions.push_back(func);
  }
  return functions;
}
