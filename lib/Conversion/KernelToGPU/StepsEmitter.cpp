//===- StepsEmitter.cpp - Launches of steps -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

/// Elements that a thread computes at once: as many as are moved at once, if
/// the shapes allow.
static unsigned getLanes(const Step &step) {
  if (step.shape.size() < 2)
    return 1;
  for (Value value : step.values) {
    auto op = dyn_cast<LinalgOp>(value.getDefiningOp());
    if (op && op.getNumReductionLoops() != 0)
      return 1;
  }
  for (unsigned lanes : {4, 2})
    if (step.shape.back() % lanes == 0)
      return lanes;
  return 1;
}

/// Positions of the first element of a group of neighbours.
static Positions getFirst(OpBuilder &builder, Location loc, Value group,
                          ArrayRef<int64_t> shape, unsigned lanes) {
  SmallVector<int64_t> groups(shape);
  if (lanes > 1)
    groups.back() /= lanes;
  Positions at = delinearize(builder, loc, group, groups);
  if (lanes > 1)
    at.back() = arith::MulIOp::create(
                    builder, loc, materialize(builder, loc, at.back()),
                    arith::ConstantIndexOp::create(builder, loc, lanes))
                    .getResult();
  return at;
}

void StepsEmitter::emitElements(const Step &step, ArrayRef<Position> at,
                                unsigned lanes) {
  for (Value value : step.values) {
    SmallVector<Value> values = elements.get(value, at, lanes);
    const Storage *storage = plan.getStorage(value);
    if (!storage)
      continue;
    if (!storage->workgroup) {
      storeGlobal(value, at, values);
      continue;
    }
    Positions position = {point};
    llvm::append_range(position, at.drop_front(launch.prefix));
    elements.store(value.getLoc(), local.lookup(value), position, values);
  }
}

Grid StepsEmitter::emit(int64_t maxThreads) {
  if (launch.steps.size() == 1 && !launch.steps.front().cooperative)
    return emitFlat(maxThreads);
  return emitPoints();
}

Grid StepsEmitter::emitFlat(int64_t maxThreads) {
  const Step &step = launch.steps.front();
  unsigned lanes = getLanes(step);
  int64_t groups =
      ShapedType::getNumElements(ArrayRef(step.shape).drop_front()) / lanes;
  Value first = arith::MulIOp::create(builder, loc, memory.getBlock(),
                                      constant(maxThreads));
  auto getGroup = [&]() -> Value {
    return arith::AddIOp::create(builder, loc, first, memory.getThread());
  };
  Value all =
      arith::MulIOp::create(builder, loc, memory.getCount(), constant(groups));
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       getGroup(), all);
  auto branch = scf::IfOp::create(builder, loc, exists, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    ElementEmitter::Scope scope(elements);
    builder.setInsertionPointToStart(branch.thenBlock());
    // Here it is known to exist: words of its task may be loaded next to it.
    emitElements(step, getFirst(builder, loc, getGroup(), step.shape, lanes),
                 lanes);
  }
  finish(maxThreads);
  return {groups, maxThreads, 1};
}

Grid StepsEmitter::emitPoints() {
  ArrayRef<int64_t> pointShape =
      ArrayRef(launch.steps.front().shape).take_front(launch.prefix);
  int64_t pointsOfTask = ShapedType::getNumElements(pointShape.drop_front());
  Value size = constant(launch.threads);
  thread = arith::RemUIOp::create(builder, loc, memory.getThread(), size);
  point = arith::DivUIOp::create(builder, loc, memory.getThread(), size);
  Value first = arith::MulIOp::create(builder, loc, memory.getBlock(),
                                      constant(launch.points));
  Value number = arith::AddIOp::create(builder, loc, first, point);
  Value all = arith::MulIOp::create(builder, loc, memory.getCount(),
                                    constant(pointsOfTask));
  active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                 number, all);
  // Threads without a point take part in barriers only.
  Value last = arith::SubIOp::create(builder, loc, all, constant(1));
  number = arith::MinUIOp::create(builder, loc, number, last);
  prefix = delinearize(builder, loc, number, pointShape);

  for (const Step &step : launch.steps)
    for (Value value : step.values)
      if (const Storage *storage = plan.getStorage(value);
          storage && storage->workgroup) {
        auto type = cast<RankedTensorType>(value.getType());
        SmallVector<int64_t> shape = {launch.points};
        llvm::append_range(shape, type.getShape().drop_front(launch.prefix));
        local[value] = addWorkgroup(shape, type.getElementType());
      }
  for (const Step &step : launch.steps) {
    if (step.barrier)
      gpu::BarrierOp::create(builder, loc);
    if (!step.cooperative)
      emitStep(step);
    else if (plan.getStorage(step.values.front()))
      emitReduction(step);
    for (Value value : step.values) {
      const Storage *storage = plan.getStorage(value);
      if (!storage || isView(value.getDefiningOp()))
        continue;
      if (!storage->workgroup) {
        elements.addStored(value, getGlobal(value));
        continue;
      }
      elements.addStored(value, [this, value](Positions &at) {
        at.erase(at.begin(), at.begin() + launch.prefix);
        at.insert(at.begin(), point);
        return local.lookup(value);
      });
    }
  }
  finish(launch.threads * launch.points);
  return {pointsOfTask, launch.points, 1};
}

void StepsEmitter::emitStep(const Step &step) {
  unsigned lanes = step.shape.size() > launch.prefix ? getLanes(step) : 1;
  ArrayRef<int64_t> inner = ArrayRef(step.shape).drop_front(launch.prefix);
  Value end = arith::SelectOp::create(
      builder, loc, active, constant(ShapedType::getNumElements(inner) / lanes),
      constant(0));
  auto loop =
      scf::ForOp::create(builder, loc, thread, end, constant(launch.threads));
  OpBuilder::InsertionGuard guard(builder);
  ElementEmitter::Scope scope(elements);
  builder.setInsertionPointToStart(loop.getBody());
  Positions at(prefix);
  llvm::append_range(
      at, getFirst(builder, loc, loop.getInductionVar(), inner, lanes));
  emitElements(step, at, lanes);
}

/// Combines two parts of a reduction.
static Value combine(OpBuilder &builder, Operation *combiner, Value a,
                     Value b) {
  IRMapping mapping;
  mapping.map(combiner->getOperand(0), a);
  Operation *copy = builder.clone(*combiner, mapping);
  copy->setOperands({a, b});
  return copy->getResult(0);
}

void StepsEmitter::emitReduction(const Step &step) {
  Value value = step.values.front();
  auto op = cast<LinalgOp>(value.getDefiningOp());
  Operation *combiner = matchAssociative(op);
  Type type = getElementTypeOrSelf(value);
  int64_t warps = launch.threads / kWarpSize;

  ArrayRef<int64_t> inner = ArrayRef(step.shape).drop_front(launch.prefix);
  auto outputs = scf::ForOp::create(builder, loc, constant(0),
                                    constant(ShapedType::getNumElements(inner)),
                                    constant(1));
  OpBuilder::InsertionGuard guard(builder);
  ElementEmitter::Scope scope(elements);
  builder.setInsertionPointToStart(outputs.getBody());
  Positions at(prefix);
  llvm::append_range(
      at, delinearize(builder, loc, outputs.getInductionVar(), inner));

  // The order depends on nothing but the number of threads: the terms of a
  // thread, a tree over its warp, then the warps one after the other.
  Value total = elements.reducePart(op, at, thread, launch.threads, active);
  for (int64_t distance = kWarpSize / 2; distance > 0; distance /= 2) {
    auto other = gpu::ShuffleOp::create(builder, loc, total, distance,
                                        kWarpSize, gpu::ShuffleMode::XOR);
    total = combine(builder, combiner, total, other.getShuffleResult());
  }
  if (warps > 1) {
    Value &partial = partials[type];
    if (!partial)
      partial = addWorkgroup({launch.points, warps}, type);
    Value lane =
        arith::RemUIOp::create(builder, loc, thread, constant(kWarpSize));
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, lane, constant(0));
    auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      Value warp =
          arith::DivUIOp::create(builder, loc, thread, constant(kWarpSize));
      elements.store(loc, partial, {point, warp}, total);
    }
    gpu::BarrierOp::create(builder, loc);
    total = elements.load(loc, partial, {point, 0}, 1).front();
    for (int64_t warp = 1; warp < warps; ++warp)
      total = combine(builder, combiner, total,
                      elements.load(loc, partial, {point, warp}, 1).front());
  }

  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, constant(0));
  Value writes = arith::AndIOp::create(builder, loc, isFirst, active);
  auto branch = scf::IfOp::create(builder, loc, writes, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    ElementEmitter::Scope inBranch(elements);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value init = elements.getInit(op, at);
    elements.define(value, at, combine(builder, combiner, init, total));
    emitElements(step, at, 1);
  }
  // The next one uses the same memory.
  if (warps > 1)
    gpu::BarrierOp::create(builder, loc);
}
