//===- KernelToCPU.cpp - Batched kernels to CPU code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRows.h"
#include "MatrixProducts.h"
#include "PanelMicrokernel.h"
#include "PlaceBuffers.h"
#include "PrepareTensors.h"
#include "VectorizeRows.h"
#include "dynbatch/Conversion/BufferAt.h"
#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Runtime/ABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CONVERTKERNELTOCPU
#include "dynbatch/Conversion/KernelToCPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// Of a longer row the hardware finds the rest in time; all rows of a table
/// must fit into the second-level cache.
static constexpr int64_t kMaxPrefetchBytes = 2048;

namespace {
/// Lowers one kernel.
class KernelLowering {
public:
  KernelLowering(KernelOp kernel, const RegisterTiles &tiles)
      : kernel(kernel), tiles(tiles), rewriter(kernel.getContext()),
        loc(kernel.getLoc()),
        ptr(LLVM::LLVMPointerType::get(kernel.getContext())),
        i64(rewriter.getI64Type()) {}

  LogicalResult run();

private:
  /// Moves the body into a function of the runtime ABI.
  void createFunction();
  /// Tensors at the kernel's borders become views of memory.
  LogicalResult lowerBorders();
  LogicalResult bufferize();
  LogicalResult lowerMatmul(PanelMatmulOp op);
  /// Memory for the addresses of rows that the microkernel takes.
  Value getTable();

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  KernelOp kernel;
  const RegisterTiles &tiles;
  IRRewriter rewriter;
  Location loc;
  Type ptr, i64;
  func::FuncOp func;
  std::optional<KernelRows> rows;
  /// Rows of the call (index).
  Value count;
  /// Addresses of rows for the microkernel, on the stack.
  Value table;
};
} // namespace

void KernelLowering::createFunction() {
  rewriter.setInsertionPointAfter(kernel);
  func =
      func::FuncOp::create(rewriter, loc, (kernel.getSymName() + "_cpu").str(),
                           rewriter.getFunctionType({ptr, i64, ptr, ptr}, {}));
  func.setPrivate();
  Block *entry = func.addEntryBlock();
  rewriter.setInsertionPointToStart(entry);
  rows.emplace(kernel, func.getArgument(0));

  count = arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                     func.getArgument(1));
  SmallVector<Value> arguments = {count};
  // Block arguments stand for the rows until all ops that read them are
  // lowered: unlike ops they are never taken for one another.
  for (auto [i, argument] : llvm::enumerate(kernel.getOperandRows())) {
    arguments.push_back(entry->addArgument(argument.getType(), loc));
    rows->addOperand(arguments.back(), i);
  }
  for (auto [i, argument] : llvm::enumerate(kernel.getResultRows())) {
    arguments.push_back(entry->addArgument(argument.getType(), loc));
    rows->addResult(arguments.back(), i);
  }
  Block *body = &kernel.getBody().front();
  rewriter.inlineBlockBefore(body, entry, entry->end(), arguments);
  Operation *terminator = entry->getTerminator();
  rewriter.setInsertionPoint(terminator);
  rewriter.replaceOpWithNewOp<func::ReturnOp>(terminator);
}

LogicalResult KernelLowering::lowerBorders() {
  expandToRows(rewriter, func);
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<ml_program::GlobalLoadConstOp, GatherOp, ScatterOp>(op))
      ops.push_back(op);
  });
  SmallVector<ml_program::GlobalOp> parameters =
      getParameters(kernel->getParentOfType<ModuleOp>());
  auto rowBuffer = [&](Value rows, Value task) -> Value {
    RankedTensorType type = cast<RowsType>(rows.getType()).getBatchedType(1);
    return RowOp::create(
        rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
        rows, task);
  };
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op)) {
      StringAttr name = load.getGlobal().getLeafReference();
      auto *it = llvm::find_if(parameters, [&](ml_program::GlobalOp global) {
        return global.getSymNameAttr() == name;
      });
      if (it == parameters.end())
        return op->emitOpError()
               << "loads '" << name.getValue() << "', which is not a parameter";
      // At the start: parameters do not change.
      rewriter.setInsertionPointToStart(&func.getBody().front());
      Value slot =
          LLVM::GEPOp::create(rewriter, loc, ptr, i64, func.getArgument(3),
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(
                                  it - parameters.begin())});
      Value address = LLVM::LoadOp::create(rewriter, loc, i64, slot);
      auto type = cast<RankedTensorType>(load.getType());
      Value buffer = createBufferAt(rewriter, loc, address, type);
      rewriter.replaceOp(
          op, bufferization::ToTensorOp::create(rewriter, loc, type, buffer,
                                                /*restrict=*/true));
    } else if (auto gather = dyn_cast<GatherOp>(op)) {
      auto type = cast<RankedTensorType>(gather.getType());
      Value buffer = rowBuffer(gather.getRows(), gather.getFirst());
      rewriter.replaceOp(
          op, bufferization::ToTensorOp::create(rewriter, loc, type, buffer,
                                                /*restrict=*/true));
    } else {
      auto scatter = cast<ScatterOp>(op);
      Value buffer = rowBuffer(scatter.getRows(), scatter.getFirst());
      auto store = bufferization::MaterializeInDestinationOp::create(
          rewriter, loc, scatter.getTensor(), buffer);
      store.setRestrict(true);
      store.setWritable(true);
      rewriter.eraseOp(op);
    }
  }
  return success();
}

LogicalResult KernelLowering::bufferize() {
  // Every output gets storage of its own, so that it can be its destination.
  SmallVector<tensor::EmptyOp> empties;
  func.walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties)
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      rewriter.setInsertionPoint(use.getOwner());
      rewriter.modifyOpInPlace(use.getOwner(), [&] {
        use.set(rewriter.clone(*empty)->getResult(0));
      });
    }
  if (failed(bufferization::eliminateEmptyTensors(rewriter, func)))
    return failure();
  bufferization::OneShotBufferizationOptions options;
  WalkResult unknown = func.walk([&](Operation *op) {
    if (!bufferization::hasTensorSemantics(op) ||
        options.dynCastBufferizableOp(op))
      return WalkResult::advance();
    op->emitOpError("cannot be lowered in a kernel for the CPU: it does not "
                    "implement BufferizableOpInterface");
    return WalkResult::interrupt();
  });
  if (unknown.wasInterrupted())
    return failure();
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotBufferize(func, options, state)))
    return failure();
  copiesToLinalg(rewriter, func);
  return success();
}

namespace {
/// A buffer of rows of f32: [rows, N], or [tasks, R, N] with R rows a task; or
/// weights, of which only the start matters.
struct BufferRows {
  BufferRows(OpBuilder &builder, Location loc, Value buffer) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value base =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    int64_t size =
        getElementTypeOrSelf(buffer).getIntOrFloatBitWidth() / CHAR_BIT;
    Value bytes = arith::MulIOp::create(
        builder, loc, metadata.getOffset(),
        arith::ConstantIndexOp::create(builder, loc, size));
    start = arith::AddIOp::create(builder, loc, base, bytes);
    strides = metadata.getStrides().drop_back();
  }

  /// Address of a row (index).
  Value getAddress(OpBuilder &builder, Location loc, Value task,
                   Value row) const {
    Value distance = arith::MulIOp::create(builder, loc, task, strides[0]);
    if (row)
      distance = arith::AddIOp::create(
          builder, loc, distance,
          arith::MulIOp::create(builder, loc, row, strides[1]));
    Value bytes = arith::MulIOp::create(
        builder, loc, distance,
        arith::ConstantIndexOp::create(builder, loc, sizeof(float)));
    return arith::AddIOp::create(builder, loc, start, bytes);
  }

  Value start; ///< address of the first element (index)
  SmallVector<Value> strides;
};
} // namespace

/// Whether all rows of an accumulator are equally far apart.
static bool hasUniformRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  return type.getRank() == 2 || (ShapedType::isStatic(strides[0]) &&
                                 strides[0] == strides[1] * type.getDimSize(1));
}

Value KernelLowering::getTable() {
  if (!table) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&func.getBody().front());
    Value size = LLVM::ConstantOp::create(
        rewriter, loc, i64, rewriter.getI64IntegerAttr(kMaxTableRows));
    table = LLVM::AllocaOp::create(rewriter, loc, ptr, i64, size);
  }
  return table;
}

LogicalResult KernelLowering::lowerMatmul(PanelMatmulOp op) {
  auto weightsType = cast<MemRefType>(op.getWeights().getType());
  auto accType = cast<MemRefType>(op.getAcc().getType());
  if (weightsType.getDimSize(2) != tiles.getPanelWidth())
    return op.emitOpError()
           << "panels are " << weightsType.getDimSize(2)
           << " columns wide, but the target needs " << tiles.getPanelWidth()
           << ": set panel-width of dynbatch-pack-weights";
  if (!hasUniformRows(accType))
    return op.emitOpError()
           << "rows of the accumulator are not equally far apart: " << accType;
  Value table = getTable();
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto pointer = [&](Value address) -> Value {
    Value word = arith::IndexCastOp::create(rewriter, loc, i64, address);
    return LLVM::IntToPtrOp::create(rewriter, loc, ptr, word);
  };
  int64_t rowsOfTask = accType.getRank() == 3 ? accType.getDimSize(1) : 1;
  int64_t k = weightsType.getDimSize(1);
  std::optional<BufferRows> lhs;
  if (!op.getFirst())
    lhs.emplace(rewriter, loc, op.getLhs());
  BufferRows acc(rewriter, loc, op.getAcc());
  Value weights = pointer(BufferRows(rewriter, loc, op.getWeights()).start);
  Value stride = acc.strides.back();
  Value count = arith::MulIOp::create(
      rewriter, loc, memref::DimOp::create(rewriter, loc, op.getAcc(), 0),
      constant(rowsOfTask));

  func::FuncOp callee = getPanelMatmul(kernel->getParentOfType<ModuleOp>(),
                                       tiles, weightsType.getElementType());
  auto chunks = scf::ForOp::create(rewriter, loc, constant(0), count,
                                   constant(kMaxTableRows));
  rewriter.setInsertionPointToStart(chunks.getBody());
  Value begin = chunks.getInductionVar();
  Value left = arith::SubIOp::create(rewriter, loc, count, begin);
  Value size =
      arith::MinUIOp::create(rewriter, loc, left, constant(kMaxTableRows));
  auto fill = scf::ForOp::create(rewriter, loc, constant(0), size, constant(1));
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(fill.getBody());
    Value task =
        arith::AddIOp::create(rewriter, loc, begin, fill.getInductionVar());
    Value row;
    if (accType.getRank() == 3) {
      row = arith::RemUIOp::create(rewriter, loc, task, constant(rowsOfTask));
      task = arith::DivUIOp::create(rewriter, loc, task, constant(rowsOfTask));
    }
    Value address;
    if (lhs) {
      address = arith::IndexCastOp::create(
          rewriter, loc, i64, lhs->getAddress(rewriter, loc, task, row));
    } else {
      task = arith::AddIOp::create(rewriter, loc, op.getFirst(), task);
      address = rows->createAddress(rewriter, loc, op.getLhs(), task);
      if (row) {
        Value bytes = arith::MulIOp::create(rewriter, loc, row,
                                            constant(k * sizeof(float)));
        address = arith::AddIOp::create(
            rewriter, loc, address,
            arith::IndexCastOp::create(rewriter, loc, i64, bytes));
      }
    }
    Value slot = LLVM::GEPOp::create(
        rewriter, loc, ptr, i64, table,
        ArrayRef<LLVM::GEPArg>{arith::IndexCastOp::create(
                                   rewriter, loc, i64, fill.getInductionVar())
                                   .getResult()});
    LLVM::StoreOp::create(rewriter, loc, address, slot);
    // Rows of a batch come from anywhere: the hardware finds none in time.
    if (!lhs)
      prefetchLines(rewriter, loc,
                    LLVM::IntToPtrOp::create(rewriter, loc, ptr, address),
                    std::min<int64_t>(k * sizeof(float), kMaxPrefetchBytes),
                    /*hint=*/2);
  }
  Value distance = arith::MulIOp::create(
      rewriter, loc, arith::MulIOp::create(rewriter, loc, begin, stride),
      constant(sizeof(float)));
  Value first = arith::AddIOp::create(rewriter, loc, acc.start, distance);
  func::CallOp::create(rewriter, loc, callee,
                       ValueRange{table, size, weights, pointer(first), stride,
                                  constant(k),
                                  constant(accType.getShape().back())});
  rewriter.eraseOp(op);
  return success();
}

LogicalResult KernelLowering::run() {
  createFunction();
  if (failed(decomposeOps(func)) || failed(lowerBorders()))
    return failure();
  splitReductions(rewriter, func, tiles.getPanelWidth());
  if (failed(bufferize()))
    return failure();
  FailureOr<ScratchSize> scratch = placeBuffers(rewriter, func, count);
  if (failed(scratch))
    return failure();

  SmallVector<PanelMatmulOp> matmuls;
  func.walk([&](PanelMatmulOp op) { matmuls.push_back(op); });
  for (PanelMatmulOp op : matmuls)
    if (failed(lowerMatmul(op)))
      return failure();
  SmallVector<RowOp> views;
  func.walk([&](RowOp op) { views.push_back(op); });
  for (RowOp op : views) {
    rewriter.setInsertionPoint(op);
    Value address =
        rows->createAddress(rewriter, op.getLoc(), op.getRows(), op.getIndex());
    rewriter.replaceOp(
        op, createBufferAt(rewriter, op.getLoc(), address, op.getType()));
  }
  if (failed(lowerMatrixProducts(rewriter, func, tiles,
                                 [this] { return getTable(); })) ||
      failed(vectorizeRows(func, tiles.getPanelWidth())))
    return failure();
  func.getBody().front().eraseArguments(
      [](BlockArgument argument) { return isa<RowsType>(argument.getType()); });
  kernel.setImplementation(func.getSymName());
  kernel.setScratchBytes(scratch->bytes);
  if (scratch->bytesPerRow)
    kernel.setRowScratchBytes(scratch->bytesPerRow);
  return success();
}

namespace {
struct ConvertKernelToCPU
    : dynbatch::impl::ConvertKernelToCPUBase<ConvertKernelToCPU> {
  using ConvertKernelToCPUBase::ConvertKernelToCPUBase;

  void runOnOperation() override {
    RegisterTiles tiles(vectorBits);
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels) {
      if (kernel.isExternal())
        continue;
      if (!kernel.isBatched()) {
        kernel.emitOpError("is not batched: run dynbatch-batch-kernels first");
        return signalPassFailure();
      }
      if (failed(KernelLowering(kernel, tiles).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
