//===- Batching.cpp - glu.gate in dynbatch -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Glu/Glu.h"
#include "dynbatch/IR/Dynbatch.h"
#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using dynbatch::BatchableOpInterface;
using dynbatch::BatchingState;

namespace {
/// A batched gate is a gate with the batch in front of the other dimensions.
struct GateModel : BatchableOpInterface::ExternalModel<GateModel, glu::GateOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto gate = cast<glu::GateOp>(op);
    Value batched = glu::GateOp::create(
        builder, op->getLoc(), dynbatch::getBatchedType(gate.getType()),
        state.getBatched(builder, gate.getInput()));
    state.mapVarying(gate, batched);
    return success();
  }

  /// Negation, exponential, addition, division and multiplication.
  int64_t getTaskFlops(Operation *op) const {
    return 5 * cast<glu::GateOp>(op).getType().getNumElements();
  }
};
} // namespace

void glu::registerDialect(DialectRegistry &registry) {
  registry.insert<GluDialect>();
  registry.addExtension(+[](MLIRContext *context, GluDialect *) {
    GateOp::attachInterface<GateModel>(*context);
  });
}

dynbatch::PipelineHooks glu::getPipelineHooks() {
  dynbatch::PipelineHooks hooks;
  hooks.kernelsBatched = [](OpPassManager &pm,
                            const dynbatch::PipelineOptions &) {
    pm.addNestedPass<dynbatch::KernelOp>(createLowerGatePass());
  };
  hooks.referenceStart = [](OpPassManager &pm) {
    pm.addPass(createLowerGatePass());
  };
  return hooks;
}
