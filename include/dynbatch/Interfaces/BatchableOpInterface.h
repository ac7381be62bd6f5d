//===- BatchableOpInterface.h - How an op becomes batched -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_INTERFACES_BATCHABLEOPINTERFACE_H
#define DYNBATCH_INTERFACES_BATCHABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::dynbatch {

/// What is known while the body of a kernel is made batched. Values of the
/// per-task body are *varying* (they have a batched counterpart with a leading
/// batch dimension; a scalar's is a vector of the batch) or *shared* (the same
/// for all tasks, without a batch dimension).
class BatchingState {
public:
  explicit BatchingState(Value batchSize) : batchSize(batchSize) {}

  /// The number of tasks (index).
  Value getBatchSize() const { return batchSize; }

  bool isVarying(Value value) const { return varying.contains(value); }
  /// Whether `op` uses a varying value, as an operand or inside its regions.
  bool usesVarying(Operation *op) const;

  /// What stands for a shared `value` in the batched body.
  Value getShared(Value value) const { return shared.lookupOrDefault(value); }
  /// The batched form of `value`. A shared value is broadcast: an empty tensor
  /// to an empty one, a fill to a fill, anything else by linalg.broadcast.
  Value getBatched(OpBuilder &builder, Value value);
  /// A tensor without contents for the batched form of `type`.
  Value createEmpty(OpBuilder &builder, Location loc, Type type) const;

  void mapVarying(Value value, Value batched) { varying.map(value, batched); }
  void mapShared(Value value, Value replacement) {
    shared.map(value, replacement);
  }
  IRMapping &getSharedMapping() { return shared; }

private:
  Value batchSize;
  IRMapping varying, shared;
};

/// The type of a batch of `type` (a ranked tensor or a scalar).
RankedTensorType getBatchedType(Type type,
                                int64_t batchSize = ShapedType::kDynamic);
/// `type` with `rows` as its leading dimension (dynamic if not a constant).
RankedTensorType getTypeForRows(RankedTensorType type, OpFoldResult rows);

/// Whether `op` can be batched: it has the interface and its checks hold.
/// Otherwise the reason goes to `emitError`.
LogicalResult verifyBatchable(Operation *op,
                              function_ref<InFlightDiagnostic()> emitError);

namespace detail {
LogicalResult verifyStaticTensors(Operation *op,
                                  function_ref<InFlightDiagnostic()> emitError);
void cloneDestinationStyleOp(Operation *op, OpBuilder &builder,
                             IRMapping &mapping);
} // namespace detail
} // namespace mlir::dynbatch

#include "dynbatch/Interfaces/BatchableOpInterface.h.inc"

namespace mlir::dynbatch {
/// Makes all linalg structured ops, linalg.softmax and the shape-preserving
/// tensor ops batchable.
void registerBatchableOpInterfaceExternalModels(DialectRegistry &registry);
} // namespace mlir::dynbatch

#endif // DYNBATCH_INTERFACES_BATCHABLEOPINTERFACE_H
