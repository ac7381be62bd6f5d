//===- LinalgBatching.cpp - Batching of linalg ops -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgTensorBatching.h"
#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

namespace {
/// Builds the batched form of one linalg op.
class LinalgBatcher {
public:
  LinalgBatcher(LinalgOp op, OpBuilder &builder, BatchingState &state)
      : op(op), builder(builder), state(state), loc(op.getLoc()) {}

  LogicalResult run() {
    if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
        fill && !state.isVarying(fill.value())) {
      finish(linalg::FillOp::create(builder, loc, state.getShared(fill.value()),
                                    getInit(op.getDpsInitOperand(0))));
      return success();
    }
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (batchNamedContraction() || batchNamedElementwise())
      return success();
    return batchGeneric();
  }

private:
  void finish(Operation *batched) {
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), batched->getResults()))
      state.mapVarying(from, to);
  }

  /// The batched destination. Its contents only matter when they are read.
  Value getInit(OpOperand *init) {
    if (op.payloadUsesValueFromOperand(init))
      return state.getBatched(builder, init->get());
    return state.createEmpty(builder, loc, init->get().getType());
  }
  SmallVector<Value> getInits() {
    return llvm::map_to_vector(op.getDpsInitsMutable(),
                               [&](OpOperand &init) { return getInit(&init); });
  }

  Value getInput(Value value) {
    return state.isVarying(value) ? state.getBatched(builder, value)
                                  : state.getShared(value);
  }

  /// `map` after a loop over the batch was put outermost; with `batch` the
  /// operand has the batch as its leading dimension.
  AffineMap shiftMap(AffineMap map, bool batch) {
    map = map.shiftDims(1);
    return batch ? map.insertResult(builder.getAffineDimExpr(0), 0) : map;
  }

  SmallVector<AffineMap> getBatchedMaps() {
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands())
      maps.push_back(shiftMap(op.getMatchingIndexingMap(input),
                              state.isVarying(input->get())));
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(shiftMap(op.getMatchingIndexingMap(&init), true));
    return maps;
  }

  /// Contractions stay named: a product of all rows with a shared matrix is a
  /// linalg.matmul, of two varying matrices a linalg.batch_matmul, all others
  /// are a linalg.contract.
  bool batchNamedContraction() {
    if (isa<linalg::GenericOp>(op.getOperation()) ||
        !isa<linalg::ContractionOpInterface>(op.getOperation()) ||
        op.getNumDpsInputs() != 2 || op->hasAttr("cast"))
      return false;
    // Only plain multiply-add bodies, no conversions and no other shapes such
    // as mmt4d's.
    if (!llvm::all_equal({getElement(op.getDpsInputs()[0]),
                          getElement(op.getDpsInputs()[1]),
                          getElement(op.getDpsInits()[0])}))
      return false;
    SmallVector<AffineMap> maps = getBatchedMaps();
    if (!llvm::all_of(
            maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
      return false;
    Value lhs = getInput(op.getDpsInputs()[0]);
    Value rhs = getInput(op.getDpsInputs()[1]);
    Value init = getInit(op.getDpsInitOperand(0));
    bool lhsVaries = state.isVarying(op.getDpsInputs()[0]);
    bool rhsVaries = state.isVarying(op.getDpsInputs()[1]);

    if (lhsVaries && rhsVaries && isa<linalg::MatmulOp>(op.getOperation()) &&
        !cast<linalg::MatmulOp>(op.getOperation()).hasUserDefinedMaps()) {
      finish(linalg::BatchMatmulOp::create(builder, loc, init.getType(),
                                           ValueRange{lhs, rhs}, init));
      return true;
    }
    if (lhsVaries != rhsVaries && maps[0].getNumDims() == 3 &&
        maps[2].getNumResults() == 2) {
      // The varying rows come first, the shared matrix second.
      if (rhsVaries) {
        std::swap(lhs, rhs);
        std::swap(maps[0], maps[1]);
      }
      // Loops of a matmul are (m, n, k).
      unsigned n = maps[2].getDimPosition(1);
      if (maps[0].getNumResults() == 2 && maps[1].getNumResults() == 2 &&
          maps[2].getDimPosition(0) == 0 && n != 0) {
        SmallVector<AffineExpr> loops(3);
        loops[0] = builder.getAffineDimExpr(0);
        loops[n] = builder.getAffineDimExpr(1);
        loops[3 - n] = builder.getAffineDimExpr(2);
        for (AffineMap &map : maps)
          map = map.replaceDimsAndSymbols(loops, {}, 3, 0);
        auto matmul = linalg::MatmulOp::create(
            builder, loc, init.getType(), ValueRange{lhs, rhs}, init,
            builder.getNamedAttr("indexing_maps",
                                 builder.getAffineMapArrayAttr(maps)));
        finish(matmul);
        return true;
      }
      return false;
    }
    finish(linalg::ContractOp::create(builder, loc, TypeRange(init.getType()),
                                      ValueRange{lhs, rhs}, ValueRange{init},
                                      builder.getAffineMapArrayAttr(maps)));
    return true;
  }

  Type getElement(Value value) { return getElementTypeOrSelf(value); }

  /// Named elementwise ops have no fixed rank; they stay as they are when
  /// everything they read has the batch dimension. A transposition counts as
  /// elementwise if it changes nothing, but its attribute does fix the rank.
  bool batchNamedElementwise() {
    if (isa<linalg::GenericOp, linalg::TransposeOp>(op.getOperation()) ||
        !linalg::isElementwise(op) || op->hasAttr("indexing_maps") ||
        !captured.empty() ||
        !llvm::all_of(op.getDpsInputs(),
                      [&](Value value) { return state.isVarying(value); }) ||
        !llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }) ||
        op.hasIndexSemantics())
      return false;
    SmallVector<Value> operands = llvm::map_to_vector(
        op.getDpsInputs(), [&](Value value) { return getInput(value); });
    SmallVector<Value> inits = getInits();
    llvm::append_range(operands, inits);
    finish(clone(builder, op, TypeRange(inits), operands));
    return true;
  }

  LogicalResult batchGeneric() {
    SmallVector<Value> inputs = llvm::map_to_vector(
        op.getDpsInputs(), [&](Value value) { return getInput(value); });
    SmallVector<AffineMap> maps = getBatchedMaps();
    // Varying scalars that the body captures become inputs.
    SmallVector<Value> scalars;
    for (Value value : captured) {
      if (!state.isVarying(value))
        continue;
      if (isa<RankedTensorType>(value.getType())) {
        for (Operation *user : value.getUsers())
          if (op->isAncestor(user) && !isa<tensor::ExtractOp>(user))
            return user->emitOpError(
                "cannot be batched: only tensor.extract may use a captured "
                "tensor that varies");
        continue;
      }
      scalars.push_back(value);
      maps.insert(maps.begin() + inputs.size(),
                  shiftMap(AffineMap::get(op.getNumLoops(), 0, {},
                                          builder.getContext()),
                           true));
      inputs.push_back(state.getBatched(builder, value));
    }
    SmallVector<utils::IteratorType> iterators = {
        utils::IteratorType::parallel};
    llvm::append_range(iterators, op.getIteratorTypesArray());
    SmallVector<Value> inits = getInits();

    auto buildBody = [&](OpBuilder &body, Location, ValueRange args) {
      IRMapping mapping = state.getSharedMapping();
      unsigned numInputs = op.getNumDpsInputs();
      Block *old = op.getBlock();
      for (BlockArgument arg : old->getArguments())
        mapping.map(arg, args[arg.getArgNumber() < numInputs
                                  ? arg.getArgNumber()
                                  : arg.getArgNumber() + scalars.size()]);
      for (auto [i, scalar] : llvm::enumerate(scalars))
        mapping.map(scalar, args[numInputs + i]);
      for (Operation &inner : *old)
        cloneInBody(inner, body, mapping);
    };
    finish(linalg::GenericOp::create(builder, loc, TypeRange(inits), inputs,
                                     inits, maps, iterators, buildBody));
    return success();
  }

  void cloneInBody(Operation &inner, OpBuilder &body, IRMapping &mapping) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(
          index.getResult(),
          linalg::IndexOp::create(body, index.getLoc(), index.getDim() + 1));
      return;
    }
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    if (extract && state.isVarying(extract.getTensor())) {
      SmallVector<Value> indices = {
          linalg::IndexOp::create(body, extract.getLoc(), 0)};
      for (Value index : extract.getIndices())
        indices.push_back(mapping.lookupOrDefault(index));
      mapping.map(extract.getResult(),
                  tensor::ExtractOp::create(
                      body, extract.getLoc(),
                      state.getBatched(builder, extract.getTensor()), indices));
      return;
    }
    if (isa<linalg::YieldOp>(inner)) {
      // Sugared ops may end in their own kind of yield.
      SmallVector<Value> values =
          llvm::map_to_vector(inner.getOperands(), [&](Value value) {
            return mapping.lookupOrDefault(value);
          });
      linalg::YieldOp::create(body, inner.getLoc(), values);
      return;
    }
    body.clone(inner, mapping);
  }

  LinalgOp op;
  OpBuilder &builder;
  BatchingState &state;
  Location loc;
  SetVector<Value> captured;
};

template <typename OpTy>
struct LinalgModel
    : BatchableOpInterface::ExternalModel<LinalgModel<OpTy>, OpTy> {
  LogicalResult
  verifyBatchable(Operation *op,
                  function_ref<InFlightDiagnostic()> emitError) const {
    auto linalgOp = cast<LinalgOp>(op);
    if (!linalgOp.hasPureTensorSemantics())
      return emitError() << "it works on buffers";
    if (failed(dynbatch::detail::verifyStaticTensors(op, emitError)))
      return failure();
    for (Operation &inner : *linalgOp.getBlock())
      if (!isMemoryEffectFree(&inner))
        return emitError() << "'" << inner.getName()
                           << "' in its body has side effects";
    return success();
  }

  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    return LinalgBatcher(cast<LinalgOp>(op), builder, state).run();
  }

  int64_t getTaskFlops(Operation *op) const {
    auto linalgOp = cast<LinalgOp>(op);
    int64_t ops = 0, points = 1;
    linalgOp.getBlock()->walk([&](Operation *inner) {
      StringRef dialect = inner->getName().getDialectNamespace();
      if ((dialect == "arith" || dialect == "math") &&
          inner->getNumResults() == 1 &&
          isa<FloatType>(inner->getResult(0).getType()) &&
          !inner->hasTrait<OpTrait::ConstantLike>() &&
          !isa<arith::SelectOp>(inner) && !isa<CastOpInterface>(inner))
        ++ops;
    });
    for (int64_t range : linalgOp.getStaticLoopRanges())
      points *= range;
    return ops * points;
  }
};

struct SoftmaxModel
    : BatchableOpInterface::ExternalModel<SoftmaxModel, linalg::SoftmaxOp> {
  LogicalResult batch(Operation *op, OpBuilder &builder,
                      BatchingState &state) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    Value input = state.getBatched(builder, softmax.getInput());
    Value init =
        state.createEmpty(builder, op->getLoc(), softmax.getOutput().getType());
    auto batched = linalg::SoftmaxOp::create(builder, op->getLoc(),
                                             TypeRange(init.getType()), input,
                                             init, softmax.getDimension() + 1);
    state.mapVarying(op->getResult(0), batched->getResult(0));
    return success();
  }

  /// Maximum, difference, exponential, sum and quotient.
  int64_t getTaskFlops(Operation *op) const {
    return 5 *
           cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  }
};

template <typename... OpTys> void attachLinalgModels(MLIRContext *ctx) {
  (OpTys::template attachInterface<LinalgModel<OpTys>>(*ctx), ...);
}
} // namespace

void mlir::dynbatch::detail::registerLinalgBatching(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, linalg::LinalgDialect *) {
    attachLinalgModels<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(ctx);
    linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*ctx);
  });
}
