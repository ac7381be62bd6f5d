//===- BatchableOpInterface.cpp - How an op becomes batched -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;

#include "dynbatch/Interfaces/BatchableOpInterface.cpp.inc"

RankedTensorType mlir::dynbatch::getBatchedType(Type type, int64_t batchSize) {
  SmallVector<int64_t> shape = {batchSize};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, getElementTypeOrSelf(type));
}

RankedTensorType mlir::dynbatch::getTypeForRows(RankedTensorType type,
                                                OpFoldResult rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = getConstantIntValue(rows).value_or(ShapedType::kDynamic);
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult
mlir::dynbatch::verifyBatchable(Operation *op,
                                function_ref<InFlightDiagnostic()> emitError) {
  if (auto batchable = dyn_cast<BatchableOpInterface>(op))
    return batchable.verifyBatchable(emitError);
  return emitError() << "it does not implement BatchableOpInterface";
}

//===----------------------------------------------------------------------===//
// BatchingState
//===----------------------------------------------------------------------===//

bool BatchingState::usesVarying(Operation *op) const {
  auto isVaryingValue = [&](Value value) { return isVarying(value); };
  if (llvm::any_of(op->getOperands(), isVaryingValue))
    return true;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(captured, isVaryingValue);
}

Value BatchingState::createEmpty(OpBuilder &builder, Location loc,
                                 Type type) const {
  return tensor::EmptyOp::create(builder, loc, getBatchedType(type),
                                 ValueRange{batchSize});
}

Value BatchingState::getBatched(OpBuilder &builder, Value value) {
  if (Value batched = varying.lookupOrNull(value))
    return batched;
  Location loc = value.getLoc();
  Type type = value.getType();
  Value empty = createEmpty(builder, loc, type);
  Value here = getShared(value);
  if (!isa<RankedTensorType>(type))
    return linalg::FillOp::create(builder, loc, here, empty).getResult(0);
  if (here.getDefiningOp<tensor::EmptyOp>())
    return empty;
  if (auto fill = here.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(builder, loc, fill.value(), empty)
        .getResult(0);
  TypedAttr splat;
  if (DenseElementsAttr elements;
      matchPattern(here, m_Constant(&elements)) && elements.isSplat() &&
      (splat = dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>()))) {
    Value scalar = arith::ConstantOp::create(builder, loc, splat);
    return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
  }
  return linalg::BroadcastOp::create(builder, loc, here, empty,
                                     ArrayRef<int64_t>{0})
      ->getResult(0);
}

//===----------------------------------------------------------------------===//
// Default implementations
//===----------------------------------------------------------------------===//

LogicalResult mlir::dynbatch::detail::verifyStaticTensors(
    Operation *op, function_ref<InFlightDiagnostic()> emitError) {
  auto check = [&](StringRef kind, unsigned index, Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (tensor.hasStaticShape())
        return success();
      return LogicalResult(emitError() << kind << " #" << index << " of type "
                                       << type << " has no static shape");
    }
    if (type.isIntOrIndexOrFloat())
      return success();
    return LogicalResult(emitError()
                         << kind << " #" << index << " of type " << type
                         << " is neither a ranked tensor nor a scalar");
  };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check("operand", i, type)))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check("result", i, type)))
      return failure();
  return success();
}

void mlir::dynbatch::detail::cloneDestinationStyleOp(Operation *op,
                                                     OpBuilder &builder,
                                                     IRMapping &mapping) {
  Operation *copy = builder.clone(*op, mapping);
  for (OpOperand &init :
       cast<DestinationStyleOpInterface>(copy).getDpsInitsMutable())
    if (isa<RankedTensorType>(init.get().getType()))
      cast<DestinationStyleOpInterface>(copy).getTiedOpResult(&init).setType(
          init.get().getType());
}
