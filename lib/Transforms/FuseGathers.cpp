//===- FuseGathers.cpp - Tiles of a batch without copies -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TaskProducts.h"
#include "TileModel.h"
#include "TuningKey.h"
#include "dynbatch/Analysis/BatchedValues.h"
#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_FUSEGATHERS
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// The ops between two contractions, which share one row loop.
struct RowGroup {
  SmallVector<Operation *> ops;
  /// Values that others need for all rows of the tile.
  SetVector<Value> outputs;
};

/// Rewrites one kernel. The body is split into phases: row groups, and between
/// them contractions, which work on all rows of a tile: products with shared
/// weights, and those with large matrices of the tasks.
class KernelTiler {
public:
  KernelTiler(KernelOp kernel, int64_t l2Bytes)
      : kernel(kernel), block(&kernel.getBody().front()), batched(kernel),
        l2Bytes(l2Bytes), builder(kernel.getContext()), loc(kernel.getLoc()) {}

  /// Whether all batched ops can be built again for a single row.
  bool canTile();
  /// Whether a batch is worked on tile by tile: it has contractions.
  bool hasTiles() const {
    return llvm::any_of(*block,
                        [&](Operation &op) { return isContraction(&op); });
  }
  void run(int64_t tileRows);

  unsigned numGathers = 0, numLoops = 0;

private:
  /// Gives each accumulator a value of its own, since it is overwritten.
  void separateAccumulators();
  void formPhases();
  TiledWork describeWork();

  /// Cheap ops that read nothing batched but the batch size or a pointer: they
  /// are built again wherever their value is needed.
  bool isLeaf(Operation *op) const;
  bool isContraction(Operation *op) const {
    return isa<PanelMatmulOp>(op) || matchTaskProduct(op, l2Bytes);
  }
  /// The gather of `operand` of a contraction that is read through the row
  /// pointers.
  static GatherOp getDirectGather(OpOperand &operand);
  SetVector<Value> getBatchedOperands(Operation *op) const;

  void emitGroup(const RowGroup &group, Value first, Value count);
  void emitPanelMatmul(PanelMatmulOp op, Value first);
  void emitTaskProduct(const TaskProduct &product, Value first, Value count);
  Value getRow(Value value, Value row, Value task, IRMapping &rows);
  void emitRowOp(Operation *op, Value row, Value task, IRMapping &rows);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Offsets or sizes: `leading`, then zeros or the sizes of `type`.
  SmallVector<OpFoldResult> withRow(OpFoldResult leading, RankedTensorType type,
                                    bool sizes);

  KernelOp kernel;
  Block *block;
  BatchedValues batched;
  int64_t l2Bytes;
  OpBuilder builder;
  Location loc;
  int64_t tile = 0;
  SmallVector<RowGroup> groups;
  /// The contractions that follow each group.
  SmallVector<SmallVector<Operation *>> contractions;
  /// Values of the tile's rows, as tensors with these rows.
  IRMapping stored;
};
} // namespace

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

bool KernelTiler::canTile() {
  for (Operation &op : block->without_terminator())
    if (batched.isUsedBy(&op) &&
        !isa<GatherOp, ScatterOp, PanelMatmulOp, BatchableOpInterface>(op)) {
      op.emitRemark("kernel is not tiled: '")
          << op.getName() << "' cannot be built for single rows";
      return false;
    }
  return true;
}

SetVector<Value> KernelTiler::getBatchedOperands(Operation *op) const {
  SetVector<Value> values;
  getUsedValuesDefinedAbove(op->getRegions(), values);
  values.insert_range(op->getOperands());
  values.remove_if([&](Value value) {
    return !batched.contains(value) || isa<BlockArgument>(value);
  });
  return values;
}

bool KernelTiler::isLeaf(Operation *op) const {
  if (isa<GatherOp, tensor::EmptyOp>(op))
    return true;
  return isa<linalg::FillOp, linalg::BroadcastOp>(op) &&
         llvm::all_of(getBatchedOperands(op), [](Value value) {
           return static_cast<bool>(value.getDefiningOp<tensor::EmptyOp>());
         });
}

GatherOp KernelTiler::getDirectGather(OpOperand &operand) {
  auto op = cast<DestinationStyleOpInterface>(operand.getOwner());
  return op.isDpsInput(&operand) ? operand.get().getDefiningOp<GatherOp>()
                                 : GatherOp();
}

void KernelTiler::separateAccumulators() {
  SmallVector<OpOperand *> accumulators;
  for (Operation &op : *block)
    if (isContraction(&op))
      accumulators.push_back(
          cast<DestinationStyleOpInterface>(op).getDpsInitOperand(0));
  for (OpOperand *operand : accumulators) {
    Value acc = operand->get();
    if (acc.hasOneUse())
      continue;
    builder.setInsertionPoint(operand->getOwner());
    Operation *def = acc.getDefiningOp();
    if (isLeaf(def)) {
      operand->set(builder.clone(*def)->getResult(
          cast<OpResult>(acc).getResultNumber()));
      continue;
    }
    Value empty = tensor::EmptyOp::create(builder, loc, acc.getType(),
                                          ValueRange{kernel.getBatchSize()});
    operand->set(
        linalg::CopyOp::create(builder, loc, acc, empty)->getResult(0));
  }
  batched = BatchedValues(kernel);
}

void KernelTiler::formPhases() {
  // Even phases are row groups, odd ones contractions.
  DenseMap<Operation *, unsigned> phases;
  for (Operation &op : block->without_terminator()) {
    if (!batched.isUsedBy(&op) || isLeaf(&op))
      continue;
    bool contracts = isContraction(&op);
    unsigned phase = contracts ? 1 : 0;
    SetVector<Value> operands = getBatchedOperands(&op);
    for (Value operand : operands) {
      unsigned made = phases.lookup(operand.getDefiningOp());
      phase = std::max(phase, made + (made % 2 == phase % 2 ? 0 : 1));
    }
    phases[&op] = phase;
    groups.resize(std::max<size_t>(groups.size(), phase / 2 + 1));
    contractions.resize(groups.size());
    if (!contracts) {
      groups[phase / 2].ops.push_back(&op);
      // What an earlier group made is stored for the tile.
      for (Value operand : operands) {
        Operation *def = operand.getDefiningOp();
        if (auto it = phases.find(def);
            it != phases.end() && it->second < phase && it->second % 2 == 0)
          groups[it->second / 2].outputs.insert(operand);
      }
      continue;
    }
    contractions[phase / 2].push_back(&op);
    for (OpOperand &operand : op.getOpOperands()) {
      Operation *def = operand.get().getDefiningOp();
      if (!operands.contains(operand.get()) || isContraction(def))
        continue;
      if (getDirectGather(operand))
        ++numGathers;
      else if (isLeaf(def))
        groups[phase / 2].outputs.insert(operand.get());
      else
        groups[phases.lookup(def) / 2].outputs.insert(operand.get());
    }
  }
}

TiledWork KernelTiler::describeWork() {
  TiledWork work;
  auto bytesOf = [](Type element) -> int64_t {
    return element.isIntOrFloat()
               ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
               : 8;
  };
  auto addBytes = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    work.bytesOfTask +=
        ShapedType::getNumElements(type.getShape().drop_front()) *
        bytesOf(type.getElementType());
  };
  for (const RowGroup &group : groups)
    llvm::for_each(group.outputs, addBytes);
  for (auto matmul : block->getOps<PanelMatmulOp>()) {
    auto type = cast<RankedTensorType>(matmul.getAcc().getType());
    auto weights = cast<RankedTensorType>(matmul.getWeights().getType());
    work.contractions.push_back({type.getRank() == 3 ? type.getDimSize(1) : 1,
                                 weights.getDimSize(1),
                                 weights.getDimSize(0) * weights.getDimSize(2),
                                 bytesOf(weights.getElementType())});
    if (matmul.getLhs().getDefiningOp<GatherOp>())
      addBytes(matmul.getLhs());
  }
  for (Operation &op : *block)
    if (std::optional<TaskProduct> product = matchTaskProduct(&op, l2Bytes)) {
      auto type = cast<RankedTensorType>(product->matrix->get().getType());
      work.contractions.push_back({/*rows=*/1, type.getDimSize(1),
                                   type.getDimSize(2),
                                   bytesOf(type.getElementType())});
    }
  return work;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult>
KernelTiler::withRow(OpFoldResult leading, RankedTensorType type, bool sizes) {
  SmallVector<OpFoldResult> all = {leading};
  for (int64_t size : type.getShape().drop_front())
    all.push_back(builder.getIndexAttr(sizes ? size : 0));
  return all;
}

Value KernelTiler::getRow(Value value, Value row, Value task, IRMapping &rows) {
  if (!batched.contains(value) || rows.contains(value))
    return rows.lookupOrDefault(value);
  auto type = cast<RankedTensorType>(value.getType());
  OpFoldResult one = builder.getIndexAttr(1);
  if (Value tensor = stored.lookupOrNull(value)) {
    SmallVector<OpFoldResult> strides(type.getRank(), one);
    Value slice = tensor::ExtractSliceOp::create(
        builder, value.getLoc(), getTypeForRows(type, one), tensor,
        withRow(row, type, false), withRow(one, type, true), strides);
    rows.map(value, slice);
    return slice;
  }
  emitRowOp(value.getDefiningOp(), row, task, rows);
  return rows.lookup(value);
}

void KernelTiler::emitRowOp(Operation *op, Value row, Value task,
                            IRMapping &rows) {
  for (Value operand : getBatchedOperands(op))
    getRow(operand, row, task, rows);
  if (auto gather = dyn_cast<GatherOp>(op)) {
    rows.map(gather.getResult(),
             GatherOp::create(builder, gather.getLoc(), gather.getRows(), task,
                              OpFoldResult(builder.getIndexAttr(1)))
                 .getResult());
  } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
    ScatterOp::create(builder, scatter.getLoc(),
                      rows.lookup(scatter.getTensor()), scatter.getRows(),
                      task);
  } else {
    cast<BatchableOpInterface>(op).cloneForRows(builder, rows,
                                                builder.getIndexAttr(1));
  }
}

void KernelTiler::emitGroup(const RowGroup &group, Value first, Value count) {
  if (group.ops.empty() && group.outputs.empty())
    return;
  ++numLoops;
  SmallVector<Value> tiles;
  for (Value output : group.outputs) {
    auto type = cast<RankedTensorType>(output.getType());
    tiles.push_back(tensor::EmptyOp::create(
        builder, loc, getTypeForRows(type, builder.getIndexAttr(tile)),
        ValueRange()));
  }
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), count, constant(1), tiles);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  Value task =
      first ? arith::AddIOp::create(builder, loc, first, row).getResult() : row;
  IRMapping rows;
  rows.map(kernel.getBatchSize(), constant(1));
  for (Operation *op : group.ops)
    emitRowOp(op, row, task, rows);
  SmallVector<Value> filled;
  OpFoldResult one = builder.getIndexAttr(1);
  for (auto [output, tensor] :
       llvm::zip_equal(group.outputs, loop.getRegionIterArgs())) {
    auto type = cast<RankedTensorType>(output.getType());
    SmallVector<OpFoldResult> strides(type.getRank(), one);
    filled.push_back(tensor::InsertSliceOp::create(
        builder, loc, getRow(output, row, task, rows), tensor,
        withRow(row, type, false), withRow(one, type, true), strides));
  }
  if (!filled.empty())
    scf::YieldOp::create(builder, loc, filled);

  builder.setInsertionPointAfter(loop);
  for (auto [output, tensor] :
       llvm::zip_equal(group.outputs, loop.getResults())) {
    auto type = cast<RankedTensorType>(output.getType());
    SmallVector<OpFoldResult> strides(type.getRank(), one);
    stored.map(output, tensor::ExtractSliceOp::create(
                           builder, loc, type, tensor,
                           withRow(builder.getIndexAttr(0), type, false),
                           withRow(count, type, true), strides)
                           .getResult());
  }
}

void KernelTiler::emitPanelMatmul(PanelMatmulOp op, Value first) {
  Value lhs = op.getLhs(), firstOfLhs;
  if (GatherOp gather = getDirectGather(op.getLhsMutable())) {
    lhs = gather.getRows();
    firstOfLhs = first;
  } else {
    lhs = stored.lookup(lhs);
  }
  Value acc = stored.lookup(op.getAcc());
  stored.map(op.getResult(),
             PanelMatmulOp::create(builder, op.getLoc(), acc.getType(), lhs,
                                   firstOfLhs, op.getWeights(), acc)
                 .getResult());
}

void KernelTiler::emitTaskProduct(const TaskProduct &product, Value first,
                                  Value count) {
  linalg::LinalgOp op = product.op;
  Location loc = op.getLoc();
  // Of several products the first one decides.
  if (!kernel.getOrderBy())
    kernel.setOrderBy(
        cast<BlockArgument>(getDirectGather(*product.matrix).getRows())
            .getArgNumber() -
        1);
  Value acc = op.getDpsInits()[0];
  auto blocks =
      scf::ForOp::create(builder, loc, constant(0), constant(product.size),
                         constant(product.block), stored.lookup(acc));
  stored.map(op->getResult(0), blocks.getResult(0));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(blocks.getBody());
  Value start = blocks.getInductionVar();
  auto tasks = scf::ForOp::create(builder, loc, constant(0), count, constant(1),
                                  blocks.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, tasks.getResults());
  builder.setInsertionPointToStart(tasks.getBody());
  Value row = tasks.getInductionVar();
  Value task = arith::AddIOp::create(builder, loc, first, row);
  Value allRows = tasks.getRegionIterArg(0);
  SmallVector<Value> operands;
  BlockSlice slice;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    OpFoldResult offset = row;
    if (GatherOp gather = getDirectGather(operand)) {
      value = GatherOp::create(builder, gather.getLoc(), gather.getRows(), task,
                               OpFoldResult(builder.getIndexAttr(1)));
      offset = builder.getIndexAttr(0);
    } else {
      value = op.isDpsInit(&operand) ? allRows : stored.lookupOrDefault(value);
    }
    slice = getBlockSlice(builder, product, operand, offset, start);
    operands.push_back(tensor::ExtractSliceOp::create(
        builder, loc, value, slice.offsets, slice.sizes, slice.strides));
  }
  Operation *part =
      clone(builder, op.getOperation(), operands.back().getType(), operands);
  Value filled =
      tensor::InsertSliceOp::create(builder, loc, part->getResult(0), allRows,
                                    slice.offsets, slice.sizes, slice.strides);
  scf::YieldOp::create(builder, loc, filled);
}

void KernelTiler::run(int64_t tileRows) {
  separateAccumulators();
  formPhases();
  SmallVector<Operation *> old;
  for (Operation &op : block->without_terminator())
    if (batched.isUsedBy(&op))
      old.push_back(&op);

  builder.setInsertionPoint(block->getTerminator());
  Value count = kernel.getBatchSize();
  if (!hasTiles()) {
    for (const RowGroup &group : groups)
      emitGroup(group, /*first=*/Value(), count);
  } else {
    tile = tileRows ? tileRows : chooseTileTasks(describeWork(), l2Bytes);
    Value size = constant(tile);
    auto loop = scf::ForOp::create(builder, loc, constant(0), count, size);
    builder.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar();
    Value left = arith::SubIOp::create(builder, loc, count, first);
    Value rows = arith::MinUIOp::create(builder, loc, left, size);
    for (auto [group, ops] : llvm::zip_equal(groups, contractions)) {
      emitGroup(group, first, rows);
      for (Operation *op : ops)
        if (auto matmul = dyn_cast<PanelMatmulOp>(op))
          emitPanelMatmul(matmul, first);
        else
          emitTaskProduct(*matchTaskProduct(op, l2Bytes), first, rows);
    }
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
}

namespace {
struct FuseGathers : dynbatch::impl::FuseGathersBase<FuseGathers> {
  using FuseGathersBase::FuseGathersBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto fail = [&](const Twine &message) {
      return emitError(UnknownLoc::get(context))
             << "dynbatch-fuse-gathers: " << message;
    };
    if (tileRows < 0)
      return fail("tile-rows must not be negative");
    if (l2Bytes <= 0)
      return fail("l2-bytes must be positive");
    measuredTasks.clear();
    for (StringRef entry : measured) {
      auto [key, text] = entry.rsplit(':');
      int64_t tasks;
      if (key.empty() || text.getAsInteger(10, tasks) || tasks < 1)
        return fail("'" + entry + "' in measured is not KEY:TASKS");
      measuredTasks[key] = tasks;
    }
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.isExternal() || !kernel.isBatched())
      return;
    KernelTiler tiler(kernel, l2Bytes);
    if (!tiler.canTile())
      return;
    int64_t tasks = tileRows;
    if (tiler.hasTiles()) {
      kernel.setTuningKey(getTuningKey(kernel));
      if (int64_t best = measuredTasks.lookup(*kernel.getTuningKey()))
        tasks = best;
    }
    tiler.run(tasks);
    numGathers += tiler.numGathers;
    numLoops += tiler.numLoops;
  }

  llvm::StringMap<int64_t> measuredTasks;
};
} // namespace
