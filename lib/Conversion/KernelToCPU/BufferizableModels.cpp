//===- BufferizableModels.cpp - Bufferization of panel_matmul -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/KernelToCPU.h"
#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::dynbatch;
using namespace mlir::bufferization;

namespace {
/// The accumulator is updated in place.
struct PanelMatmulModel
    : DstBufferizableOpInterfaceExternalModel<PanelMatmulModel, PanelMatmulOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto matmul = cast<PanelMatmulOp>(op);
    auto toBuffer = [&](Value value) -> FailureOr<Value> {
      if (!isa<TensorType>(value.getType()))
        return value;
      return getBuffer(rewriter, value, options, state);
    };
    FailureOr<Value> lhs = toBuffer(matmul.getLhs());
    FailureOr<Value> weights = toBuffer(matmul.getWeights());
    FailureOr<Value> acc = toBuffer(matmul.getAcc());
    if (failed(lhs) || failed(weights) || failed(acc))
      return failure();
    PanelMatmulOp::create(rewriter, op->getLoc(), TypeRange(), *lhs,
                          matmul.getFirst(), *weights, *acc);
    replaceOpWithBufferizedValues(rewriter, op, *acc);
    return success();
  }
};
} // namespace

void mlir::dynbatch::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DynbatchDialect *) {
    PanelMatmulOp::attachInterface<PanelMatmulModel>(*context);
  });
}
