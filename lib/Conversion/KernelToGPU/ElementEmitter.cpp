//===- ElementEmitter.cpp - Elements of tensors on demand -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Found elements
//===----------------------------------------------------------------------===//

ElementEmitter::Key ElementEmitter::getKey(Value value, ArrayRef<Position> at) {
  Key key{value.getAsOpaquePointer(), {}};
  for (Position position : at)
    key.second.emplace_back(position.value.getAsOpaquePointer(),
                            position.offset);
  return key;
}

Value ElementEmitter::lookup(const Key &key) const {
  for (const auto &scope : llvm::reverse(scopes))
    if (auto it = scope.find(key); it != scope.end())
      return it->second;
  return {};
}

void ElementEmitter::define(Value value, ArrayRef<Position> at, Value element) {
  scopes.back()[getKey(value, at)] = element;
}

static Positions getLane(ArrayRef<Position> at, unsigned lane) {
  Positions moved(at);
  if (lane != 0)
    moved.back() = moved.back() + lane;
  return moved;
}

SmallVector<Value> ElementEmitter::getEach(Value value, ArrayRef<Position> at,
                                           unsigned lanes) {
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < lanes; ++lane)
    elements.push_back(get(value, getLane(at, lane)).front());
  return elements;
}

SmallVector<Value> ElementEmitter::get(Value value, ArrayRef<Position> at,
                                       unsigned lanes) {
  // A tensor of rank 0 has no dimension for the lanes.
  if (at.empty() && lanes > 1)
    return SmallVector<Value>(lanes, get(value, at).front());
  SmallVector<Value> elements;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (Value found = lookup(getKey(value, getLane(at, lane))))
      elements.push_back(found);
  if (elements.size() == lanes)
    return elements;
  auto [it, isNew] = stored.try_emplace(value);
  if (isNew)
    it->second = findStored(value);
  if (GetBuffer getBuffer = it->second) {
    Positions position(at);
    Value buffer = getBuffer(position);
    elements = load(value.getLoc(), buffer, position, lanes);
  } else {
    elements = compute(value, at, lanes);
  }
  for (auto [lane, element] : llvm::enumerate(elements))
    define(value, getLane(at, lane), element);
  return elements;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether `lanes` neighbours can be moved at once.
static bool hasVectors(MemRefType type, unsigned lanes) {
  Type element = type.getElementType();
  return lanes > 1 && (element.isF32() || element.isInteger(32)) &&
         type.getRank() > 0 && type.getShape().back() % lanes == 0;
}

SmallVector<Value> ElementEmitter::load(Location loc, Value buffer,
                                        ArrayRef<Position> at, unsigned lanes) {
  auto type = cast<MemRefType>(buffer.getType());
  llvm::Align align(getElementBytes(type.getElementType()));
  SmallVector<Value> elements;
  auto materializeAll = [&](ArrayRef<Position> at) {
    return llvm::map_to_vector(at, [&](Position position) {
      return materialize(builder, loc, position);
    });
  };
  if (hasVectors(type, lanes)) {
    Value vector = vector::LoadOp::create(
        builder, loc, VectorType::get(lanes, type.getElementType()), buffer,
        materializeAll(at), /*nontemporal=*/false,
        llvm::Align(align.value() * lanes));
    for (unsigned lane = 0; lane < lanes; ++lane)
      elements.push_back(vector::ExtractOp::create(builder, loc, vector, lane));
    return elements;
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    elements.push_back(memref::LoadOp::create(builder, loc, buffer,
                                              materializeAll(getLane(at, lane)),
                                              /*nontemporal=*/false, align));
  return elements;
}

void ElementEmitter::store(Location loc, Value buffer, ArrayRef<Position> at,
                           ArrayRef<Value> elements) {
  auto type = cast<MemRefType>(buffer.getType());
  llvm::Align align(getElementBytes(type.getElementType()));
  auto materializeAll = [&](ArrayRef<Position> at) {
    return llvm::map_to_vector(at, [&](Position position) {
      return materialize(builder, loc, position);
    });
  };
  unsigned lanes = elements.size();
  if (hasVectors(type, lanes)) {
    Value vector = vector::FromElementsOp::create(
        builder, loc, VectorType::get(lanes, type.getElementType()), elements);
    vector::StoreOp::create(builder, loc, vector, buffer, materializeAll(at),
                            /*nontemporal=*/false,
                            llvm::Align(align.value() * lanes));
    return;
  }
  for (auto [lane, element] : llvm::enumerate(elements))
    memref::StoreOp::create(builder, loc, element, buffer,
                            materializeAll(getLane(at, lane)),
                            /*nontemporal=*/false, align);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool isMultiple(OpFoldResult value, unsigned lanes) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && *constant % lanes == 0;
}

SmallVector<Value> ElementEmitter::compute(Value value, ArrayRef<Position> at,
                                           unsigned lanes) {
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](GatherOp gather) { return getOfGather(gather, at, lanes); })
      .Case([&](ml_program::GlobalLoadConstOp load) {
        return this->load(load.getLoc(), memory.getParameter(load), at, lanes);
      })
      .Case([&](arith::ConstantOp constant) {
        return getOfConstant(constant, at, lanes);
      })
      .Case([&](tensor::EmptyOp empty) {
        // Nobody may depend on the contents.
        Type type = empty.getType().getElementType();
        Value zero = arith::ConstantOp::create(builder, empty.getLoc(), type,
                                               builder.getZeroAttr(type));
        return SmallVector<Value>(lanes, zero);
      })
      .Case([&](tensor::SplatOp splat) {
        return SmallVector<Value>(lanes, getScalar(splat.getInput()));
      })
      .Case([&](tensor::FromElementsOp from) {
        return lanes == 1 ? getOfElements(from, at) : getEach(value, at, lanes);
      })
      .Case(
          [&](tensor::CastOp cast) { return get(cast.getSource(), at, lanes); })
      .Case([&](tensor::ExtractSliceOp slice) {
        return getOfSlice(slice, at, lanes);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        return getOfInsertion(slice, at, lanes);
      })
      .Case([&](tensor::ConcatOp concat) {
        return getOfConcat(concat, at, lanes);
      })
      .Case([&](tensor::PadOp pad) { return getOfPad(pad, at, lanes); })
      .Case([&](tensor::ExpandShapeOp expand) {
        return getOfExpansion(expand, at, lanes);
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return getOfCollapse(collapse, at, lanes);
      })
      .Case([&](LinalgOp linalgOp) {
        return getOfLinalg(linalgOp, cast<OpResult>(value), at, lanes);
      });
}

SmallVector<Value> ElementEmitter::getOfGather(GatherOp op,
                                               ArrayRef<Position> at,
                                               unsigned lanes) {
  unsigned operand = cast<BlockArgument>(op.getRows()).getArgNumber() - 1;
  if (!isa<RankedTensorType>(op.getRows().getType().getRowType()))
    return {memory.getScalarOperand(builder, operand, at.front())};
  Value buffer = memory.getOperand(builder, operand, at.front());
  return load(op.getLoc(), buffer, at.drop_front(), lanes);
}

SmallVector<Value> ElementEmitter::getOfConstant(arith::ConstantOp op,
                                                 ArrayRef<Position> at,
                                                 unsigned lanes) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (!elements.isSplat())
    return load(op.getLoc(), memory.getConstant(op.getLoc(), elements), at,
                lanes);
  Value splat = arith::ConstantOp::create(
      builder, op.getLoc(),
      cast<TypedAttr>(elements.getSplatValue<Attribute>()));
  return SmallVector<Value>(lanes, splat);
}

SmallVector<Value> ElementEmitter::getOfSlice(tensor::ExtractSliceOp op,
                                              ArrayRef<Position> at,
                                              unsigned lanes) {
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            strides = op.getMixedStrides();
  if (lanes > 1 && (dropped.test(dropped.size() - 1) ||
                    !isConstantIntValue(strides.back(), 1) ||
                    !isMultiple(offsets.back(), lanes)))
    return getEach(op, at, lanes);
  auto getIndex = [&](OpFoldResult value) -> Position {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return *constant;
    return getScalar(cast<Value>(value));
  };
  Positions from;
  unsigned next = 0;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Position start = getIndex(offset);
    if (dropped.test(dim)) {
      from.push_back(start);
      continue;
    }
    Position position = at[next++];
    if (Position stride = getIndex(strides[dim]);
        !stride.isConstant() || stride.offset != 1)
      position = arith::MulIOp::create(builder, loc,
                                       materialize(builder, loc, position),
                                       materialize(builder, loc, stride))
                     .getResult();
    if (start.isConstant())
      position = position + start.offset;
    else
      position = arith::AddIOp::create(builder, loc,
                                       materialize(builder, loc, position),
                                       start.value)
                     .getResult();
    from.push_back(position);
  }
  return get(op.getSource(), from, lanes);
}

SmallVector<Value>
ElementEmitter::choose(Value condition, Type type, unsigned lanes,
                       llvm::function_ref<SmallVector<Value>()> inside,
                       llvm::function_ref<SmallVector<Value>()> outside) {
  Location loc = condition.getLoc();
  auto branch =
      scf::IfOp::create(builder, loc, SmallVector<Type>(lanes, type), condition,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [region, build] : {std::pair(&branch.getThenRegion(), inside),
                               std::pair(&branch.getElseRegion(), outside)}) {
    Scope scope(*this);
    builder.setInsertionPointToStart(&region->front());
    scf::YieldOp::create(builder, loc, build());
  }
  return branch.getResults();
}

/// A condition that holds if `position` lies in the given range.
static Value isInside(OpBuilder &builder, Location loc, Value condition,
                      Position position, int64_t begin, int64_t size) {
  // Positions before the range wrap around.
  Value distance = materialize(builder, loc, position + -begin);
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, distance,
                            arith::ConstantIndexOp::create(builder, loc, size));
  if (!condition)
    return inside;
  return arith::AndIOp::create(builder, loc, condition, inside);
}

SmallVector<Value> ElementEmitter::getOfInsertion(tensor::InsertSliceOp op,
                                                  ArrayRef<Position> at,
                                                  unsigned lanes) {
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                            sizes = op.getMixedSizes();
  if (lanes > 1 &&
      (dropped.test(dropped.size() - 1) || !isMultiple(offsets.back(), lanes) ||
       !isMultiple(sizes.back(), lanes)))
    return getEach(op, at, lanes);
  Value condition;
  Positions from;
  for (auto [dim, position] : llvm::enumerate(at)) {
    std::optional<int64_t> offset = getConstantIntValue(offsets[dim]);
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    Position inner = offset ? position + -*offset : position;
    if (!offset)
      inner = arith::SubIOp::create(builder, loc,
                                    materialize(builder, loc, position),
                                    getScalar(cast<Value>(offsets[dim])))
                  .getResult();
    // The batch dimension, of dynamic size, is always whole.
    if (size && !(offset == 0 && *size == op.getDestType().getDimSize(dim)))
      condition = isInside(builder, loc, condition, inner, 0, *size);
    if (!dropped.test(dim))
      from.push_back(inner);
  }
  if (!condition)
    return get(op.getSource(), from, lanes);
  return choose(
      condition, op.getType().getElementType(), lanes,
      [&] { return get(op.getSource(), from, lanes); },
      [&] { return get(op.getDest(), at, lanes); });
}

SmallVector<Value> ElementEmitter::getOfConcat(tensor::ConcatOp op,
                                               ArrayRef<Position> at,
                                               unsigned lanes) {
  int64_t dim = op.getDim();
  if (lanes > 1 && dim + 1 == static_cast<int64_t>(at.size()) &&
      !llvm::all_of(op.getInputs(), [&](Value piece) {
        return getShape(piece)[dim] % lanes == 0;
      }))
    return getEach(op, at, lanes);
  // Pieces from `index` on, the first of which begins at `begin`.
  std::function<SmallVector<Value>(unsigned, int64_t)> getFrom =
      [&](unsigned index, int64_t begin) -> SmallVector<Value> {
    Value piece = op.getInputs()[index];
    int64_t end = begin + getShape(piece)[dim];
    auto getPiece = [&] {
      Positions from(at);
      from[dim] = from[dim] + -begin;
      return get(piece, from, lanes);
    };
    auto getRest = [&] { return getFrom(index + 1, end); };
    if (index + 1 == op.getInputs().size())
      return getPiece();
    if (at[dim].isConstant())
      return at[dim].offset < end ? getPiece() : getRest();
    Value condition =
        isInside(builder, op.getLoc(), {}, at[dim] + -begin, 0, end - begin);
    return choose(condition, op.getType().getElementType(), lanes, getPiece,
                  getRest);
  };
  return getFrom(0, 0);
}

SmallVector<Value> ElementEmitter::getOfPad(tensor::PadOp op,
                                            ArrayRef<Position> at,
                                            unsigned lanes) {
  Location loc = op.getLoc();
  ArrayRef<int64_t> sizes = getShape(op.getSource());
  SmallVector<OpFoldResult> low = op.getMixedLowPad();
  if (lanes > 1 &&
      (!isMultiple(low.back(), lanes) || sizes.back() % lanes != 0))
    return getEach(op, at, lanes);
  Value condition;
  Positions from(at);
  for (auto [dim, position] : llvm::enumerate(from)) {
    if (std::optional<int64_t> constant = getConstantIntValue(low[dim]))
      position = position + -*constant;
    else
      position = arith::SubIOp::create(builder, loc,
                                       materialize(builder, loc, position),
                                       getScalar(cast<Value>(low[dim])))
                     .getResult();
    // The batch dimension is not padded.
    if (ShapedType::isStatic(sizes[dim]) &&
        sizes[dim] != op.getType().getDimSize(dim))
      condition = isInside(builder, loc, condition, position, 0, sizes[dim]);
  }
  if (!condition)
    return get(op.getSource(), from, lanes);
  return choose(
      condition, op.getType().getElementType(), lanes,
      [&] { return get(op.getSource(), from, lanes); },
      [&] {
        Value padding = op.getConstantPaddingValue();
        return SmallVector<Value>(lanes, getScalar(padding));
      });
}

SmallVector<Value> ElementEmitter::getOfExpansion(tensor::ExpandShapeOp op,
                                                  ArrayRef<Position> at,
                                                  unsigned lanes) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  if (lanes > 1 && shape.back() % lanes != 0)
    return getEach(op, at, lanes);
  Positions from;
  for (const ReassociationIndices &group : op.getReassociationIndices())
    from.push_back(linearize(builder, op.getLoc(),
                             at.slice(group.front(), group.size()),
                             shape.slice(group.front(), group.size())));
  return get(op.getSrc(), from, lanes);
}

SmallVector<Value> ElementEmitter::getOfCollapse(tensor::CollapseShapeOp op,
                                                 ArrayRef<Position> at,
                                                 unsigned lanes) {
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  if (lanes > 1 && shape.back() % lanes != 0)
    return getEach(op, at, lanes);
  Positions from(shape.size(), Position(0));
  for (auto [position, group] :
       llvm::zip_equal(at, op.getReassociationIndices()))
    llvm::copy(delinearize(builder, op.getLoc(), position,
                           shape.slice(group.front(), group.size())),
               from.begin() + group.front());
  return get(op.getSrc(), from, lanes);
}

SmallVector<Value> ElementEmitter::getOfElements(tensor::FromElementsOp op,
                                                 ArrayRef<Position> at) {
  Location loc = op.getLoc();
  Position position = linearize(builder, loc, at, op.getType().getShape());
  if (position.isConstant())
    return {getScalar(op.getElements()[position.offset])};
  Value index = materialize(builder, loc, position);
  Value chosen = getScalar(op.getElements().back());
  for (auto [i, element] : llvm::enumerate(op.getElements().drop_back())) {
    Value isIt = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       index, constant(i));
    chosen =
        arith::SelectOp::create(builder, loc, isIt, getScalar(element), chosen);
  }
  return {chosen};
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value ElementEmitter::getScalar(Value value) {
  Key key = getKey(value, {});
  if (Value found = lookup(key))
    return found;
  if (value == kernel.getBatchSize())
    return memory.getCount();
  Operation *op = value.getDefiningOp();
  Value scalar;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Positions at;
    for (Value index : extract.getIndices())
      at.push_back(getScalar(index));
    scalar = get(extract.getTensor(), at).front();
  } else if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    // Only the batch dimension is dynamic.
    auto type = cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    scalar = index && !type.isDynamicDim(*index)
                 ? constant(type.getDimSize(*index))
                 : memory.getCount();
  } else {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, getScalar(operand));
    scalar = builder.clone(*op, mapping)
                 ->getResult(cast<OpResult>(value).getResultNumber());
  }
  scopes.back()[key] = scalar;
  return scalar;
}
