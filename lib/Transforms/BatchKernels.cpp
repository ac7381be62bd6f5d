//===- BatchKernels.cpp - From one task to a batch of tasks -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_BATCHKERNELS
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// Whether `op` computes one scalar from scalars.
static bool isScalarOp(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->hasTrait<OpTrait::Scalarizable>() && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

/// An op on scalars becomes a linalg.generic over the batch.
static void batchScalarOp(Operation *op, OpBuilder &builder,
                          BatchingState &state) {
  SmallVector<Value> varying, inputs;
  for (Value operand : op->getOperands()) {
    if (!state.isVarying(operand) || llvm::is_contained(varying, operand))
      continue;
    varying.push_back(operand);
    inputs.push_back(state.getBatched(builder, operand));
  }
  Value init =
      state.createEmpty(builder, op->getLoc(), op->getResult(0).getType());
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(1));
  auto generic = linalg::GenericOp::create(
      builder, op->getLoc(), init.getType(), inputs, init, maps,
      utils::IteratorType::parallel,
      [&](OpBuilder &body, Location loc, ValueRange args) {
        IRMapping mapping = state.getSharedMapping();
        mapping.map(varying, args.take_front(varying.size()));
        linalg::YieldOp::create(body, loc,
                                body.clone(*op, mapping)->getResults());
      });
  state.mapVarying(op->getResult(0), generic.getResult(0));
}

namespace {
struct BatchKernels : dynbatch::impl::BatchKernelsBase<BatchKernels> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.isExternal() || kernel.isBatched())
      return;
    if (failed(batchKernel(kernel)))
      signalPassFailure();
  }

  LogicalResult batchKernel(KernelOp kernel);
  LogicalResult batchOp(Operation *op, OpBuilder &builder,
                        BatchingState &state);
};
} // namespace

LogicalResult BatchKernels::batchOp(Operation *op, OpBuilder &builder,
                                    BatchingState &state) {
  if (!state.usesVarying(op)) {
    builder.clone(*op, state.getSharedMapping());
    ++numShared;
    return success();
  }
  ++numBatched;
  auto batchable = dyn_cast<BatchableOpInterface>(op);
  if (!batchable && isScalarOp(op)) {
    batchScalarOp(op, builder, state);
    return success();
  }
  if (failed(verifyBatchable(
          op, [&] { return op->emitOpError("cannot be batched: "); })))
    return failure();
  return batchable.batch(builder, state);
}

LogicalResult BatchKernels::batchKernel(KernelOp kernel) {
  FunctionType task = kernel.getFunctionType();
  Location loc = kernel.getLoc();
  Block *old = &kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  Block *body = builder.createBlock(&kernel.getBody());
  body->addArgument(builder.getIndexType(), loc);
  for (TypeRange types :
       {TypeRange(task.getInputs()), TypeRange(task.getResults())})
    for (Type type : types)
      body->addArgument(RowsType::get(type), loc);

  BatchingState state(body->getArgument(0));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (BlockArgument operand : old->getArguments()) {
    if (operand.use_empty())
      continue;
    Value rows = body->getArgument(1 + operand.getArgNumber());
    state.mapVarying(operand,
                     GatherOp::create(builder, operand.getLoc(), rows, zero,
                                      OpFoldResult(body->getArgument(0))));
  }

  int64_t flops = 0;
  for (Operation &op : old->without_terminator()) {
    if (auto batchable = dyn_cast<BatchableOpInterface>(op);
        batchable && state.usesVarying(&op))
      flops += batchable.getTaskFlops();
    if (failed(batchOp(&op, builder, state)))
      return failure();
  }
  auto results = cast<ReturnOp>(old->getTerminator());
  for (auto [i, value] : llvm::enumerate(results.getValues()))
    ScatterOp::create(builder, results.getLoc(),
                      state.getBatched(builder, value),
                      body->getArgument(1 + task.getNumInputs() + i), zero);
  ReturnOp::create(builder, results.getLoc(), ValueRange());

  old->erase();
  kernel.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), {}));
  kernel.setTaskType(task);
  // They belong to the operands of the task.
  kernel.removeArgAttrsAttr();
  kernel.removeResAttrsAttr();
  if (!kernel.getFlops())
    kernel.setFlops(flops);
  return success();
}
