//===- StructuredElements.cpp - Elements of structured ops ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "Sources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

Position ElementEmitter::evaluate(Location loc, AffineExpr expr,
                                  ArrayRef<Position> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Position lhs = evaluate(loc, binary.getLHS(), loops);
  Position rhs = evaluate(loc, binary.getRHS(), loops);
  if (expr.getKind() == AffineExprKind::Add &&
      (lhs.isConstant() || rhs.isConstant()))
    return lhs.isConstant() ? rhs + lhs.offset : lhs + rhs.offset;
  Value a = materialize(builder, loc, lhs), b = materialize(builder, loc, rhs);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, a, b).getResult();
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, a, b).getResult();
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(builder, loc, a, b).getResult();
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(builder, loc, a, b).getResult();
  default:
    return arith::CeilDivUIOp::create(builder, loc, a, b).getResult();
  }
}

bool ElementEmitter::isContiguous(LinalgOp op, OpOperand &operand,
                                  unsigned lane) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() == 0 ||
      map.getResults().back() != getAffineDimExpr(lane, op->getContext()))
    return false;
  return llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
    return expr.isFunctionOfDim(lane);
  });
}

SmallVector<Value> ElementEmitter::getOperand(LinalgOp op, OpOperand &operand,
                                              ArrayRef<Position> loops,
                                              unsigned lane, unsigned lanes) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return SmallVector<Value>(lanes, getScalar(operand.get()));
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto getAt = [&](ArrayRef<Position> loops, unsigned lanes) {
    Positions at;
    for (AffineExpr expr : map.getResults())
      at.push_back(evaluate(op.getLoc(), expr, loops));
    return get(operand.get(), at, lanes);
  };
  if (lanes == 1 || isContiguous(op, operand, lane))
    return getAt(loops, lanes);
  if (!map.isFunctionOfDim(lane))
    return SmallVector<Value>(lanes, getAt(loops, 1).front());
  SmallVector<Value> elements;
  for (unsigned i = 0; i < lanes; ++i) {
    Positions moved(loops);
    moved[lane] = moved[lane] + i;
    elements.push_back(getAt(moved, 1).front());
  }
  return elements;
}

SmallVector<SmallVector<Value>>
ElementEmitter::getInputs(LinalgOp op, ArrayRef<Position> loops, unsigned lane,
                          unsigned lanes) {
  SmallVector<SmallVector<Value>> inputs(lanes);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    SmallVector<Value> elements(lanes);
    if (op.payloadUsesValueFromOperand(operand))
      elements = getOperand(op, *operand, loops, lane, lanes);
    for (auto [list, element] : llvm::zip_equal(inputs, elements))
      list.push_back(element);
  }
  return inputs;
}

SmallVector<Value> ElementEmitter::emitBody(LinalgOp op,
                                            ArrayRef<Position> loops,
                                            ArrayRef<Value> inputs,
                                            ArrayRef<Value> outputs) {
  IRMapping mapping;
  for (auto [argument, value] :
       llvm::zip_equal(op.getBlock()->getArguments(),
                       llvm::concat<const Value>(inputs, outputs)))
    if (value)
      mapping.map(argument, value);
  auto getMapped = [&](Value value) {
    if (!mapping.contains(value))
      mapping.map(value, getScalar(value));
    return mapping.lookup(value);
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(index.getResult(),
                  materialize(builder, index.getLoc(), loops[index.getDim()]));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      Positions at;
      for (Value index : extract.getIndices()) {
        // Of the task itself, the position is known as it stands.
        auto loop = index.getDefiningOp<linalg::IndexOp>();
        at.push_back(loop ? loops[loop.getDim()] : Position(getMapped(index)));
      }
      mapping.map(extract.getResult(), get(extract.getTensor(), at).front());
    } else {
      SetVector<Value> used(inner.operand_begin(), inner.operand_end());
      getUsedValuesDefinedAbove(inner.getRegions(), used);
      llvm::for_each(used, getMapped);
      builder.clone(inner, mapping);
    }
  }
  return llvm::map_to_vector(op.getBlock()->getTerminator()->getOperands(),
                             getMapped);
}

SmallVector<Value> ElementEmitter::reduce(LinalgOp op, Positions loops) {
  Location loc = op.getLoc();
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<Value> initial;
  for (OpOperand &init : op.getDpsInitsMutable())
    initial.push_back(getOperand(op, init, loops, 0, 1).front());

  // Neighbours are loaded together, and reduced one after the other.
  unsigned last = dims.back(), lanes = 1;
  if (ranges[last] % 4 == 0 &&
      llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
        return isa<RankedTensorType>(operand->get().getType()) &&
               op.payloadUsesValueFromOperand(operand) &&
               isContiguous(op, *operand, last);
      }))
    lanes = 4;
  std::function<SmallVector<Value>(unsigned, ValueRange)> emitLoops =
      [&](unsigned level, ValueRange carried) -> SmallVector<Value> {
    if (level == dims.size()) {
      SmallVector<Value> values(carried);
      for (auto [i, inputs] :
           llvm::enumerate(getInputs(op, loops, last, lanes))) {
        Positions moved(loops);
        moved[last] = moved[last] + i;
        values = emitBody(op, moved, inputs, values);
      }
      return values;
    }
    int64_t step = dims[level] == last ? lanes : 1;
    auto loop = scf::ForOp::create(builder, loc, constant(0),
                                   constant(ranges[dims[level]]),
                                   constant(step), carried);
    OpBuilder::InsertionGuard guard(builder);
    Scope scope(*this);
    builder.setInsertionPointToStart(loop.getBody());
    loops[dims[level]] = loop.getInductionVar();
    scf::YieldOp::create(builder, loc,
                         emitLoops(level + 1, loop.getRegionIterArgs()));
    return loop.getResults();
  };
  return emitLoops(0, initial);
}

Positions ElementEmitter::getLoops(LinalgOp op, OpResult result,
                                   ArrayRef<Position> at) {
  AffineMap map = op.getIndexingMapMatchingResult(result);
  Positions loops(op.getNumLoops());
  for (auto [dim, position] : llvm::enumerate(at))
    loops[map.getDimPosition(dim)] = position;
  return loops;
}

Value ElementEmitter::getInit(LinalgOp op, ArrayRef<Position> at) {
  return get(op.getDpsInits().front(), at).front();
}

Value ElementEmitter::reducePart(LinalgOp op, ArrayRef<Position> at,
                                 Value thread, int64_t threads, Value active) {
  Location loc = op.getLoc();
  Positions loops = getLoops(op, op->getResult(0), at);
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), sizes;
  for (unsigned dim : dims)
    sizes.push_back(ranges[dim]);
  Value neutral = arith::ConstantOp::create(
      builder, loc, *arith::getNeutralElement(matchAssociative(op)));
  Value end = arith::SelectOp::create(
      builder, loc, active, constant(ShapedType::getNumElements(sizes)),
      constant(0));
  auto loop =
      scf::ForOp::create(builder, loc, thread, end, constant(threads), neutral);
  OpBuilder::InsertionGuard guard(builder);
  Scope scope(*this);
  builder.setInsertionPointToStart(loop.getBody());
  Positions terms = delinearize(builder, loc, loop.getInductionVar(), sizes);
  for (auto [dim, position] : llvm::zip_equal(dims, terms))
    loops[dim] = position;
  SmallVector<Value> inputs = getInputs(op, loops, 0, 1).front();
  scf::YieldOp::create(
      builder, loc,
      emitBody(op, loops, inputs, loop.getRegionIterArgs().front()));
  return loop.getResult(0);
}

SmallVector<Value> ElementEmitter::getOfLinalg(LinalgOp op, OpResult result,
                                               ArrayRef<Position> at,
                                               unsigned lanes) {
  Positions loops = getLoops(op, result, at);
  unsigned lane = at.empty()
                      ? 0
                      : op.getIndexingMapMatchingResult(result).getDimPosition(
                            at.size() - 1);
  bool reduces = op.getNumReductionLoops() != 0;
  if (reduces && lanes > 1)
    return getEach(result, at, lanes);

  SmallVector<SmallVector<Value>> yielded;
  if (reduces) {
    yielded.push_back(reduce(op, loops));
  } else {
    for (auto [i, inputs] :
         llvm::enumerate(getInputs(op, loops, lane, lanes))) {
      Positions moved(loops);
      if (i != 0)
        moved[lane] = moved[lane] + i;
      SmallVector<Value> outputs;
      for (OpOperand &init : op.getDpsInitsMutable())
        outputs.push_back(op.payloadUsesValueFromOperand(&init)
                              ? getOperand(op, init, moved, 0, 1).front()
                              : Value());
      yielded.push_back(emitBody(op, moved, inputs, outputs));
    }
  }
  // The other results come with it.
  for (OpResult other : op->getResults()) {
    AffineMap otherMap = op.getIndexingMapMatchingResult(other);
    for (auto [i, values] : llvm::enumerate(yielded)) {
      Positions moved(loops);
      if (i != 0)
        moved[lane] = moved[lane] + i;
      Positions position;
      for (unsigned dim = 0; dim < otherMap.getNumResults(); ++dim)
        position.push_back(moved[otherMap.getDimPosition(dim)]);
      define(other, position, values[other.getResultNumber()]);
    }
  }
  return llvm::map_to_vector(yielded, [&](ArrayRef<Value> values) {
    return values[result.getResultNumber()];
  });
}
