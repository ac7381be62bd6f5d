//===- PassContext.cpp - Host functions get the runtime's context -*- C++
//-*-===//
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

//===----------------------------------------------------------------------===//
// What the runtime can hold
//===----------------------------------------------------------------------===//

static bool isRuntimeScalar(Type type) {
  if (type.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                              type.getIntOrFloatBitWidth());
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

static bool isRuntimeTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
         isRuntimeScalar(tensor.getElementType());
}

/// Checks a type of values that lie in cells, rows or slots.
static LogicalResult verifyData(Operation *op, const Twine &what, Type type) {
  Type element = type;
  while (auto seq = dyn_cast<SeqType>(element))
    element = seq.getElementType();
  if (auto adt = dyn_cast<AdtType>(element)) {
    if (lookupAdt(op, adt))
      return success();
    return op->emitOpError()
           << what << " refers to the undeclared ADT " << adt.getName();
  }
  if (isRuntimeScalar(element) || isRuntimeTensor(element))
    return success();
  return op->emitOpError()
         << what << " cannot be of type " << type
         << ": data are made of i1, i8, i16, i32, i64, index, f16, bf16, f32, "
            "f64 and tensors of static shape of them";
}

static LogicalResult verifyDataTypes(ModuleOp module) {
  for (auto adt : module.getOps<AdtOp>())
    for (CtorOp ctor : adt.getCtors())
      for (auto [i, type] : llvm::enumerate(ctor.getFieldTypes()))
        if (failed(verifyData(ctor, "field #" + Twine(i), type)))
          return failure();
  for (ml_program::GlobalOp global : getParameters(module))
    if (!isRuntimeTensor(global.getType()))
      return global.emitOpError()
             << "cannot be a parameter of type " << global.getType()
             << ": expected a tensor of static shape of i1, i8, i16, i32, i64, "
                "index, f16, bf16, f32 or f64";
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr(DynbatchDialect::kEntryAttrName))
      continue;
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      if (failed(verifyData(func, "input #" + Twine(i), type)))
        return failure();
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      if (failed(verifyData(func, "result #" + Twine(i), type)))
        return failure();
  }
  return success();
}

/// Ops whose meaning host code cannot keep.
static LogicalResult verifyHostOp(Operation *op) {
  if (isa<func::ConstantOp, func::CallIndirectOp>(op))
    return op->emitOpError("is not supported: a function is not a value of an "
                           "instance program");
  if (op->getDialect()->getNamespace() ==
          ml_program::MLProgramDialect::getDialectNamespace() &&
      !isa<ml_program::GlobalLoadConstOp>(op))
    return op->emitOpError("is not supported: instance programs are pure and "
                           "only load parameters");
  if (auto enqueue = dyn_cast<EnqueueOp>(op))
    for (auto [i, type] : llvm::enumerate(enqueue.getTaskOperands().getTypes()))
      if (failed(verifyData(op, "operand #" + Twine(i), type)))
        return failure();
  for (Type type : op->getResultTypes())
    if (isa<SeqType>(type) && failed(verifyData(op, "result", type)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct PassContext : dynbatch::impl::PassContextBase<PassContext> {
  using PassContextBase::PassContextBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyDataTypes(module)))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions = getHostFunctions(module);
    for (func::FuncOp func : functions)
      if (func.walk([](Operation *op) { return WalkResult(verifyHostOp(op)); })
              .wasInterrupted())
        return signalPassFailure();
    DenseSet<Operation *> members(functions.begin(), functions.end());
    DenseSet<Operation *> recursive =
        getRecursiveFunctions(getAnalysis<CallGraph>());
    RuntimeCalls runtime(module);
    Type ptr = LLVM::LLVMPointerType::get(&getContext());
    SymbolTable symbols(module);
    OpBuilder builder(module);
    for (func::FuncOp func : functions) {
      if (func.getName().starts_with("dynbatch_")) {
        func.emitOpError("has a name that is reserved: it begins with "
                         "'dynbatch_'");
        return signalPassFailure();
      }
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
