//===- TensorBatching.cpp - Batching of tensor ops -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgTensorBatching.h"
#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Offsets, sizes and the like of a batched op: `first` for the batch
/// dimension, then those of the task.
static SmallVector<OpFoldResult> prepend(OpFoldResult first,
                                         ArrayRef<OpFoldResult> rest,
                                         const BatchingState &state) {
  SmallVector<OpFoldResult> all = {first};
  for (OpFoldResult value : rest)
    all.push_back(isa<Value>(value)
                      ? OpFoldResult(state.getShared(cast<Value>(value)))
                      : value);
  return all;
}

/// Each position can differ from task to task: the op would need one slice a
/// task.
static LogicalResult verifySharedIndices(Operation *op, ValueRange indices,
                                         const BatchingState &state) {
  for (Value index : indices)
    if (state.isVarying(index))
      return op->emitOpError(
          "cannot be batched: an offset, size or stride varies from task to "
          "task");
  return success();
}

/// The batch dimension stays by itself. A task tensor of rank 0 has no groups:
/// the unit dimensions of its `expandedRank` go with the batch dimension.
static SmallVector<ReassociationIndices>
prependDimension(ArrayRef<ReassociationIndices> groups, int64_t expandedRank) {
  SmallVector<ReassociationIndices> all = {{0}};
  if (groups.empty())
    llvm::append_range(all.front(), llvm::seq<int64_t>(1, expandedRank + 1));
  for (const ReassociationIndices &group : groups)
    all.push_back(llvm::map_to_vector<2>(
        group, [](int64_t dim) -> int64_t { return dim + 1; }));
  return all;
}

/// The values of `values` in `mapping`, and so the new leading dimension.
static SmallVector<Value> lookupAll(IRMapping &mapping, ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookupOrDefault(value); });
}

static SmallVector<OpFoldResult> lookupAll(IRMapping &mapping,
                                           ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> OpFoldResult {
    if (auto ssa = dyn_cast<Value>(value))
      return mapping.lookupOrDefault(ssa);
    return value;
  });
}

namespace {
template <typename ConcreteModel, typename OpTy>
using Model = BatchableOpInterface::ExternalModel<ConcreteModel, OpTy>;

/// Has no varying operand; only batched empties are cloned.
struct EmptyModel : Model<EmptyModel, tensor::EmptyOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    state.mapVarying(
        op->getResult(0),
        state.createEmpty(builder, op->getLoc(), op->getResult(0).getType()));
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult rows) const {
    auto empty = cast<tensor::EmptyOp>(op);
    SmallVector<OpFoldResult> sizes = lookupAll(mapping, empty.getMixedSizes());
    sizes.front() = rows;
    mapping.map(empty.getResult(),
                tensor::EmptyOp::create(builder, op->getLoc(), sizes,
                                        empty.getType().getElementType())
                    .getResult());
  }
};

struct ExtractSliceModel : Model<ExtractSliceModel, tensor::ExtractSliceOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    if (failed(verifySharedIndices(op, op->getOperands().drop_front(), state)))
      return failure();
    Value batched = tensor::ExtractSliceOp::create(
        builder, op->getLoc(), getBatchedType(slice.getType()),
        state.getBatched(builder, slice.getSource()),
        prepend(builder.getIndexAttr(0), slice.getMixedOffsets(), state),
        prepend(state.getBatchSize(), slice.getMixedSizes(), state),
        prepend(builder.getIndexAttr(1), slice.getMixedStrides(), state));
    state.mapVarying(slice, batched);
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult rows) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    SmallVector<OpFoldResult> sizes = lookupAll(mapping, slice.getMixedSizes());
    sizes.front() = rows;
    mapping.map(slice.getResult(),
                tensor::ExtractSliceOp::create(
                    builder, op->getLoc(),
                    getTypeForRows(slice.getType(), rows),
                    mapping.lookup(slice.getSource()),
                    lookupAll(mapping, slice.getMixedOffsets()), sizes,
                    lookupAll(mapping, slice.getMixedStrides()))
                    .getResult());
  }
};

struct InsertSliceModel : Model<InsertSliceModel, tensor::InsertSliceOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    if (failed(verifySharedIndices(op, op->getOperands().drop_front(2), state)))
      return failure();
    Value batched = tensor::InsertSliceOp::create(
        builder, op->getLoc(), state.getBatched(builder, slice.getSource()),
        state.getBatched(builder, slice.getDest()),
        prepend(builder.getIndexAttr(0), slice.getMixedOffsets(), state),
        prepend(state.getBatchSize(), slice.getMixedSizes(), state),
        prepend(builder.getIndexAttr(1), slice.getMixedStrides(), state));
    state.mapVarying(slice, batched);
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult rows) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    SmallVector<OpFoldResult> sizes = lookupAll(mapping, slice.getMixedSizes());
    sizes.front() = rows;
    mapping.map(slice.getResult(),
                tensor::InsertSliceOp::create(
                    builder, op->getLoc(), mapping.lookup(slice.getSource()),
                    mapping.lookup(slice.getDest()),
                    lookupAll(mapping, slice.getMixedOffsets()), sizes,
                    lookupAll(mapping, slice.getMixedStrides()))
                    .getResult());
  }
};

struct ConcatModel : Model<ConcatModel, tensor::ConcatOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto concat = cast<tensor::ConcatOp>(op);
    SmallVector<Value> inputs =
        llvm::map_to_vector(concat.getInputs(), [&](Value value) {
          return state.getBatched(builder, value);
        });
    state.mapVarying(concat,
                     tensor::ConcatOp::create(builder, op->getLoc(),
                                              concat.getDim() + 1, inputs));
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult) const {
    auto concat = cast<tensor::ConcatOp>(op);
    mapping.map(concat.getResult(),
                tensor::ConcatOp::create(builder, op->getLoc(), concat.getDim(),
                                         lookupAll(mapping, concat.getInputs()))
                    .getResult());
  }
};

struct ExpandShapeModel : Model<ExpandShapeModel, tensor::ExpandShapeOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    Value batched = tensor::ExpandShapeOp::create(
        builder, op->getLoc(), getBatchedType(expand.getResultType()),
        state.getBatched(builder, expand.getSrc()),
        prependDimension(expand.getReassociationIndices(),
                         expand.getResultType().getRank()),
        prepend(state.getBatchSize(), expand.getMixedOutputShape(), state));
    state.mapVarying(expand, batched);
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult rows) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    SmallVector<OpFoldResult> shape =
        lookupAll(mapping, expand.getMixedOutputShape());
    shape.front() = rows;
    mapping.map(expand.getResult(),
                tensor::ExpandShapeOp::create(
                    builder, op->getLoc(),
                    getTypeForRows(expand.getResultType(), rows),
                    mapping.lookup(expand.getSrc()),
                    expand.getReassociationIndices(), shape)
                    .getResult());
  }
};

struct CollapseShapeModel : Model<CollapseShapeModel, tensor::CollapseShapeOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    Value batched = tensor::CollapseShapeOp::create(
        builder, op->getLoc(), getBatchedType(collapse.getResultType()),
        state.getBatched(builder, collapse.getSrc()),
        prependDimension(collapse.getReassociationIndices(),
                         collapse.getSrcType().getRank()));
    state.mapVarying(collapse, batched);
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult rows) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    mapping.map(collapse.getResult(),
                tensor::CollapseShapeOp::create(
                    builder, op->getLoc(),
                    getTypeForRows(collapse.getResultType(), rows),
                    mapping.lookup(collapse.getSrc()),
                    collapse.getReassociationIndices())
                    .getResult());
  }
};

/// One scalar a task: a broadcast of the batch's scalars.
struct SplatModel : Model<SplatModel, tensor::SplatOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto splat = cast<tensor::SplatOp>(op);
    auto type = cast<RankedTensorType>(splat.getType());
    Value scalars = state.getBatched(builder, splat.getInput());
    Value empty = state.createEmpty(builder, op->getLoc(), type);
    state.mapVarying(
        splat, linalg::BroadcastOp::create(
                   builder, op->getLoc(), scalars, empty,
                   llvm::to_vector(llvm::seq<int64_t>(1, type.getRank() + 1)))
                   ->getResult(0));
    return success();
  }
};

/// One column for each element, put side by side.
struct FromElementsModel : Model<FromElementsModel, tensor::FromElementsOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto from = cast<tensor::FromElementsOp>(op);
    auto type = cast<RankedTensorType>(from.getType());
    Location loc = op->getLoc();
    if (type.getRank() == 0) {
      state.mapVarying(from, state.getBatched(builder, from.getElements()[0]));
      return success();
    }
    auto columnType = RankedTensorType::get({1}, type.getElementType());
    OpFoldResult one = builder.getIndexAttr(1);
    SmallVector<Value> columns;
    for (Value element : from.getElements())
      columns.push_back(tensor::ExpandShapeOp::create(
          builder, loc, getBatchedType(columnType),
          state.getBatched(builder, element),
          SmallVector<ReassociationIndices>{{0, 1}},
          SmallVector<OpFoldResult>{state.getBatchSize(), one}));
    Value result =
        columns.size() == 1
            ? columns.front()
            : tensor::ConcatOp::create(builder, loc, 1, columns).getResult();
    if (type.getRank() > 1) {
      SmallVector<ReassociationIndices> groups = {{0}, {}};
      SmallVector<OpFoldResult> shape = {state.getBatchSize()};
      for (auto [i, size] : llvm::enumerate(type.getShape())) {
        groups.back().push_back(i + 1);
        shape.push_back(builder.getIndexAttr(size));
      }
      result = tensor::ExpandShapeOp::create(builder, loc, getBatchedType(type),
                                             result, groups, shape);
    }
    state.mapVarying(from, result);
    return success();
  }
};

struct PadModel : Model<PadModel, tensor::PadOp> {
  LogicalResult
  verifyBatchable(Operation *op,
                  function_ref<InFlightDiagnostic()> emitError) const {
    if (failed(dynbatch::detail::verifyStaticTensors(op, emitError)))
      return failure();
    if (!cast<tensor::PadOp>(op).getConstantPaddingValue())
      return emitError() << "its padding is not one value for all elements";
    return success();
  }
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto pad = cast<tensor::PadOp>(op);
    Value padding = pad.getConstantPaddingValue();
    // A constant inside of the op's region.
    if (Operation *def = padding.getDefiningOp(); def && op->isAncestor(def))
      padding = builder.clone(*def)->getResult(0);
    else if (state.isVarying(padding))
      return op->emitOpError(
          "cannot be batched: the padding varies from task to task");
    else
      padding = state.getShared(padding);
    if (failed(verifySharedIndices(op, op->getOperands().drop_front(), state)))
      return failure();
    OpFoldResult zero = builder.getIndexAttr(0);
    state.mapVarying(
        pad, tensor::PadOp::create(builder, op->getLoc(),
                                   getBatchedType(pad.getResultType()),
                                   state.getBatched(builder, pad.getSource()),
                                   prepend(zero, pad.getMixedLowPad(), state),
                                   prepend(zero, pad.getMixedHighPad(), state),
                                   padding, pad.getNofold()));
    return success();
  }
  void cloneForRows(Operation *op, OpBuilder &builder, IRMapping &mapping,
                    OpFoldResult rows) const {
    Operation *copy = builder.clone(*op, mapping);
    copy->getResult(0).setType(
        getTypeForRows(cast<tensor::PadOp>(op).getResultType(), rows));
  }
};

/// Static shapes on both sides: the batch dimension is not touched, so that a
/// reshape is a collapse of the task's dimensions and an expansion.
struct ReshapeModel : Model<ReshapeModel, tensor::ReshapeOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto reshape = cast<tensor::ReshapeOp>(op);
    if (state.isVarying(reshape.getShape()))
      return op->emitOpError("cannot be batched: the shape varies from task to "
                             "task");
    Location loc = op->getLoc();
    auto from = cast<RankedTensorType>(reshape.getSource().getType());
    auto to = cast<RankedTensorType>(reshape.getType());
    auto flat =
        RankedTensorType::get({from.getNumElements()}, from.getElementType());
    auto groupsOf = [](RankedTensorType type) {
      SmallVector<ReassociationIndices> groups = {{0}, {}};
      llvm::append_range(groups.back(),
                         llvm::seq<int64_t>(1, type.getRank() + 1));
      return groups;
    };
    if (from.getRank() == 0 || to.getRank() == 0)
      return op->emitOpError("cannot be batched: it has a tensor of rank 0");
    Value value = state.getBatched(builder, reshape.getSource());
    if (from.getRank() > 1)
      value = tensor::CollapseShapeOp::create(
          builder, loc, getBatchedType(flat), value, groupsOf(from));
    if (to.getRank() > 1) {
      SmallVector<OpFoldResult> shape = {state.getBatchSize()};
      llvm::append_range(
          shape, getAsIndexOpFoldResult(builder.getContext(), to.getShape()));
      value = tensor::ExpandShapeOp::create(builder, loc, getBatchedType(to),
                                            value, groupsOf(to), shape);
    }
    state.mapVarying(reshape, value);
    return success();
  }
};
} // namespace

void mlir::dynbatch::detail::registerTensorBatching(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    tensor::CollapseShapeOp::attachInterface<CollapseShapeModel>(*ctx);
    tensor::ConcatOp::attachInterface<ConcatModel>(*ctx);
    tensor::EmptyOp::attachInterface<EmptyModel>(*ctx);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeModel>(*ctx);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(*ctx);
    tensor::FromElementsOp::attachInterface<FromElementsModel>(*ctx);
    tensor::InsertSliceOp::attachInterface<InsertSliceModel>(*ctx);
    tensor::PadOp::attachInterface<PadModel>(*ctx);
    tensor::ReshapeOp::attachInterface<ReshapeModel>(*ctx);
    tensor::SplatOp::attachInterface<SplatModel>(*ctx);
    // Batched forms are made of linalg ops.
    ctx->loadDialect<linalg::LinalgDialect, arith::ArithDialect>();
  });
}

void mlir::dynbatch::registerBatchableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  detail::registerLinalgBatching(registry);
  detail::registerTensorBatching(registry);
}
