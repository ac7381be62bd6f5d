//===- Sources.cpp - What an op of a kernel reads -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sources.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

bool mlir::dynbatch::isElementwise(Operation *op) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && linalgOp.getNumParallelLoops() == linalgOp.getNumLoops();
}

bool mlir::dynbatch::isView(Operation *op) {
  if (isa<GatherOp, ml_program::GlobalLoadConstOp>(op) ||
      op->hasTrait<OpTrait::ConstantLike>() ||
      isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
    return true;
  // Fills and copies.
  auto linalgOp = dyn_cast<LinalgOp>(op);
  return linalgOp && isElementwise(op) &&
         llvm::hasSingleElement(*linalgOp.getBlock());
}

bool mlir::dynbatch::isComputed(Operation *op, const BatchedValues &batched) {
  return isa<LinalgOp>(op) && !isView(op) && batched.isUsedBy(op);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static Alignment compose(Alignment first, Alignment second) {
  Alignment both{std::min(first.prefix, second.prefix), {}};
  if (first.shift && second.shift)
    both.shift = *first.shift + *second.shift;
  return both;
}

static unsigned getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

/// How the elements of an operand with the map `in` relate to those of a result
/// with the map `out`.
static Alignment getAlignment(AffineMap in, AffineMap out) {
  unsigned prefix = 0, rank = out.getNumResults();
  while (prefix < std::min(in.getNumResults(), rank) &&
         in.getResult(prefix) == out.getResult(prefix))
    ++prefix;
  Alignment alignment{prefix, {}};
  if (prefix == rank && in.getNumResults() == rank)
    alignment.shift = 0;
  return alignment;
}

static Alignment getAlignment(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  unsigned rank = slice.getSourceType().getRank(), prefix = 0;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            strides = slice.getMixedStrides();
  auto isUnmoved = [&](unsigned dim) {
    return !dropped[dim] && isConstantIntValue(offsets[dim], 0) &&
           isConstantIntValue(strides[dim], 1);
  };
  while (prefix < rank && isUnmoved(prefix))
    ++prefix;
  Alignment alignment{prefix, {}};
  if (prefix == rank)
    alignment.shift = 0;
  else if (prefix + 1 == rank && !dropped[prefix] &&
           isConstantIntValue(strides[prefix], 1))
    alignment.shift = getConstantIntValue(offsets[prefix]);
  return alignment;
}

/// How the elements of a reshaped tensor relate to those of its source. `rank`
/// is that of the one with more dimensions.
static Alignment getAlignment(ArrayRef<ReassociationIndices> groups,
                              unsigned rank) {
  unsigned prefix = 0;
  while (prefix < groups.size() && groups[prefix].size() == 1)
    ++prefix;
  // The batch dimension is grouped with none but those of size 1.
  Alignment alignment{std::max(prefix, 1u), {}};
  if (prefix == rank)
    alignment.shift = 0;
  return alignment;
}

static void collect(Value value, Alignment alignment,
                    const BatchedValues &batched,
                    SmallVectorImpl<Source> &sources);

/// Adds what a linalg op reads; its own elements are read at `alignment`.
static void collectOperands(LinalgOp op, OpResult result, Alignment alignment,
                            const BatchedValues &batched,
                            SmallVectorImpl<Source> &sources) {
  AffineMap out = op.getIndexingMapMatchingResult(result);
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand) &&
        isa<RankedTensorType>(operand.get().getType()))
      collect(operand.get(),
              compose(alignment,
                      getAlignment(op.getMatchingIndexingMap(&operand), out)),
              batched, sources);
  // Captured tensors: the element may be any of the task.
  op.getBlock()->walk([&](tensor::ExtractOp extract) {
    collect(extract.getTensor(), {std::min(alignment.prefix, 1u), {}}, batched,
            sources);
  });
}

static void collect(Value value, Alignment alignment,
                    const BatchedValues &batched,
                    SmallVectorImpl<Source> &sources) {
  Operation *op = value.getDefiningOp();
  if (!op || !batched.contains(value))
    return;
  if (isComputed(op, batched)) {
    sources.push_back({value, alignment});
    return;
  }
  auto follow = [&](Value operand, Alignment read) {
    collect(operand, compose(alignment, read), batched, sources);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LinalgOp view) {
        collectOperands(view, cast<OpResult>(value), alignment, batched,
                        sources);
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        follow(slice.getSource(), getAlignment(slice));
      })
      .Case([&](tensor::InsertSliceOp slice) {
        follow(slice.getDest(), {getRank(value), 0});
        unsigned prefix = 0;
        for (unsigned rank = getRank(slice.getSource());
             prefix < rank &&
             slice.getSourceType().getDimSize(prefix) ==
                 slice.getDestType().getDimSize(prefix) &&
             isConstantIntValue(slice.getMixedOffsets()[prefix], 0);)
          ++prefix;
        follow(slice.getSource(), {prefix, {}});
      })
      .Case([&](tensor::ConcatOp concat) {
        for (Value piece : concat.getInputs())
          follow(piece, {static_cast<unsigned>(concat.getDim()), {}});
      })
      .Case([&](tensor::PadOp pad) {
        unsigned prefix = 0;
        while (prefix < getRank(value) &&
               isConstantIntValue(pad.getMixedLowPad()[prefix], 0) &&
               isConstantIntValue(pad.getMixedHighPad()[prefix], 0))
          ++prefix;
        follow(pad.getSource(), {prefix, {}});
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        follow(expand.getSrc(),
               getAlignment(expand.getReassociationIndices(), getRank(value)));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        follow(collapse.getSrc(),
               getAlignment(collapse.getReassociationIndices(),
                            getRank(collapse.getSrc())));
      })
      .Case([&](tensor::CastOp cast) {
        follow(cast.getSource(), {getRank(value), 0});
      })
      .Default([&](Operation *) {});
}

SmallVector<Source> mlir::dynbatch::getSources(Value value,
                                               const BatchedValues &batched) {
  SmallVector<Source> sources;
  collect(value, {getRank(value), 0}, batched, sources);
  return sources;
}

SmallVector<Source>
mlir::dynbatch::getReadSources(OpResult result, const BatchedValues &batched) {
  SmallVector<Source> sources;
  collectOperands(cast<LinalgOp>(result.getOwner()), result,
                  {getRank(result), 0}, batched, sources);
  return sources;
}

Operation *mlir::dynbatch::matchAssociative(LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return nullptr;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners.front()))
    return nullptr;
  return combiners.front();
}

//===----------------------------------------------------------------------===//
// What can be lowered
//===----------------------------------------------------------------------===//

static InFlightDiagnostic emitNotLowerable(Operation *op) {
  return op->emitOpError("cannot be lowered for a GPU: ");
}

static LogicalResult verifyBody(LinalgOp op) {
  for (Operation &inner : *op.getBlock()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner) ||
        inner.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (!isMemoryEffectFree(&inner) ||
        llvm::any_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>))
      return emitNotLowerable(op) << "'" << inner.getName()
                                  << "' in its body is not an op on scalars";
    // Regions are copied as they are.
    WalkResult result = inner.walk([&](tensor::ExtractOp extract) {
      emitNotLowerable(op) << "'" << extract->getName()
                           << "' in a region of its body";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

static LogicalResult verifyLinalg(LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return emitNotLowerable(op) << "it works on buffers";
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation())
      return emitNotLowerable(op)
             << "positions in its results are not a permutation of its loops";
    if (map.getNumResults() != op.getNumParallelLoops())
      return emitNotLowerable(op)
             << "a parallel loop is no dimension of its results";
    auto type = cast<RankedTensorType>(init.get().getType());
    if (type.getNumDynamicDims() > 1 ||
        (!type.hasStaticShape() && !type.isDynamicDim(0)))
      return emitNotLowerable(op) << "a dimension of " << type
                                  << " is dynamic that is not the leading one";
  }
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [range, type] : llvm::zip_equal(ranges, op.getIteratorTypesArray()))
    if (type != utils::IteratorType::parallel && ShapedType::isDynamic(range))
      return emitNotLowerable(op) << "it reduces a dimension of dynamic size";
  return verifyBody(op);
}

LogicalResult mlir::dynbatch::verifyLowerable(Operation *op) {
  if (auto linalgOp = dyn_cast<LinalgOp>(op))
    return verifyLinalg(linalgOp);
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto kernel = op->getParentOfType<KernelOp>();
    if (!isConstantIntValue(gather.getFirst(), 0) ||
        gather.getCount() != kernel.getBatchSize())
      return emitNotLowerable(op) << "it does not gather the whole batch";
    return success();
  }
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    if (!isConstantIntValue(scatter.getFirst(), 0))
      return emitNotLowerable(op) << "it does not scatter the whole batch";
    return success();
  }
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
    if (!llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) {
          return isConstantIntValue(stride, 1);
        }))
      return emitNotLowerable(op) << "its strides are not 1";
    return success();
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    if (!pad.getConstantPaddingValue())
      return emitNotLowerable(op)
             << "its padding is not one value for all elements";
    return success();
  }
  if (isa<ReturnOp, ml_program::GlobalLoadConstOp, tensor::CastOp,
          tensor::CollapseShapeOp, tensor::ConcatOp, tensor::DimOp,
          tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractOp,
          tensor::ExtractSliceOp, tensor::FromElementsOp, tensor::SplatOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<ShapedType>(constant.getType()) &&
        !isa<DenseElementsAttr>(constant.getValue()))
      return emitNotLowerable(op) << "its contents are not in the program";
    return success();
  }
  if (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
      llvm::all_of(op->getResultTypes(),
                   [](Type type) { return type.isIntOrIndexOrFloat(); }))
    return success();
  return emitNotLowerable(op) << "it is not known how";
}
