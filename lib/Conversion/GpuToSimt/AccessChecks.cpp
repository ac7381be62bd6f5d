//===- AccessChecks.cpp - Checks of a kernel's memory accesses -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuToSimt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// What an op does to memory: `count` elements from `indices` on, in the last
/// dimension.
struct Access {
  Value buffer;
  ValueRange indices;
  int32_t kind;
  int64_t count = 1;
  std::optional<uint64_t> alignment = std::nullopt; ///< that the op relies on
};

class CheckBuilder {
public:
  CheckBuilder(Operation *op, SimtCalls &calls)
      : op(op), loc(op->getLoc()), builder(op), calls(calls) {}

  void check(const Access &access);
  void check(memref::SubViewOp view);
  void check(memref::ViewOp view);

private:
  void checkIndex(int64_t dimension, OpFoldResult index, OpFoldResult extent,
                  OpFoldResult size);
  OpFoldResult getSize(Value buffer, int64_t dimension);
  /// The address of the first element (i64).
  Value getAddress(const Access &access, int64_t elementBytes);

  Value toIndex(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  template <typename OpT> Value make(Value lhs, Value rhs) {
    return OpT::create(builder, loc, lhs, rhs);
  }
  Value getDescription() {
    if (!description)
      description = calls.createDescription(builder, op);
    return description;
  }

  Operation *op;
  Location loc;
  OpBuilder builder;
  SimtCalls &calls;
  Value description;
};
} // namespace

void CheckBuilder::checkIndex(int64_t dimension, OpFoldResult index,
                              OpFoldResult extent, OpFoldResult size) {
  std::optional<int64_t> knownIndex = getConstantIntValue(index),
                         knownExtent = getConstantIntValue(extent),
                         knownSize = getConstantIntValue(size);
  if (knownIndex && knownExtent && knownSize && *knownIndex >= 0 &&
      *knownIndex + *knownExtent <= *knownSize)
    return;
  calls.createCheckIndex(builder, op, getDescription(), dimension,
                         toIndex(index), toIndex(extent), toIndex(size));
}

OpFoldResult CheckBuilder::getSize(Value buffer, int64_t dimension) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dimension))
    return builder.getIndexAttr(type.getDimSize(dimension));
  return memref::DimOp::create(builder, loc, buffer, dimension).getResult();
}

Value CheckBuilder::getAddress(const Access &access, int64_t elementBytes) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, access.buffer);
  Value distance = metadata.getOffset();
  for (auto [index, stride] :
       llvm::zip_equal(access.indices, metadata.getStrides()))
    distance =
        make<arith::AddIOp>(distance, make<arith::MulIOp>(index, stride));
  Value bytes = make<arith::MulIOp>(
      distance, arith::ConstantIndexOp::create(builder, loc, elementBytes));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc,
                                                               access.buffer);
  return toI64(builder, loc, make<arith::AddIOp>(start, bytes));
}

void CheckBuilder::check(const Access &access) {
  auto type = cast<MemRefType>(access.buffer.getType());
  for (auto [i, index] : llvm::enumerate(access.indices)) {
    bool last = i + 1 == access.indices.size();
    checkIndex(i, index, builder.getIndexAttr(last ? access.count : 1),
               getSize(access.buffer, i));
  }
  Type element = type.getElementType();
  DataLayout layout = DataLayout::closest(op);
  int64_t bytes = layout.getTypeSize(element);
  // Scalars must have their natural alignment on a GPU.
  int64_t natural =
      isa<VectorType>(element) ? 1 : layout.getTypeABIAlignment(element);
  calls.createAccess(builder, op, getDescription(), access.kind,
                     getAddress(access, bytes), access.count * bytes,
                     access.alignment.value_or(natural));
}

void CheckBuilder::check(memref::SubViewOp view) {
  for (auto [i, offset, size, stride] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes(),
                       view.getMixedStrides())) {
    // The extent of an empty view is 0 or less.
    OpFoldResult extent = size;
    if (getConstantIntValue(stride) != 1) {
      Value one = arith::ConstantIndexOp::create(builder, loc, 1);
      Value steps = make<arith::SubIOp>(toIndex(size), one);
      extent =
          make<arith::AddIOp>(make<arith::MulIOp>(steps, toIndex(stride)), one);
    }
    checkIndex(i, offset, extent, getSize(view.getSource(), i));
  }
}

void CheckBuilder::check(memref::ViewOp view) {
  MemRefType type = view.getType();
  int64_t elementBytes =
      DataLayout::closest(op).getTypeSize(type.getElementType());
  Value bytes = arith::ConstantIndexOp::create(builder, loc, elementBytes);
  auto dynamic = view.getSizes().begin();
  for (int64_t size : type.getShape())
    bytes =
        make<arith::MulIOp>(bytes, ShapedType::isDynamic(size)
                                       ? *dynamic++
                                       : toIndex(builder.getIndexAttr(size)));
  checkIndex(0, view.getByteShift(), bytes, getSize(view.getSource(), 0));
}

/// The access that `op` makes; none if it makes none.
static std::optional<Access> getAccess(Operation *op) {
  auto count = [](VectorType type, Value buffer) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    return isa<VectorType>(element) ? 1 : type.getNumElements();
  };
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case([](memref::LoadOp op) {
        return Access{op.getMemRef(), op.getIndices(), DYNBATCH_SIMT_READ, 1,
                      op.getAlignment()};
      })
      .Case([](memref::StoreOp op) {
        return Access{op.getMemRef(), op.getIndices(), DYNBATCH_SIMT_WRITE, 1,
                      op.getAlignment()};
      })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>([](auto op) {
        return Access{op.getMemref(), op.getIndices(), DYNBATCH_SIMT_ATOMIC};
      })
      .Case([&](vector::LoadOp op) {
        return Access{op.getBase(), op.getIndices(), DYNBATCH_SIMT_READ,
                      count(op.getVectorType(), op.getBase()),
                      op.getAlignment()};
      })
      .Case([&](vector::StoreOp op) {
        return Access{op.getBase(), op.getIndices(), DYNBATCH_SIMT_WRITE,
                      count(op.getVectorType(), op.getBase()),
                      op.getAlignment()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether `op` reads or writes a buffer in a way that nobody checks.
static bool accessesUnchecked(Operation *op) {
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return load.getVectorType().getRank() > 1;
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getVectorType().getRank() > 1;
  if (getAccess(op))
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return false;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects, [](MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()) &&
           effect.getValue() &&
           isa<BaseMemRefType>(effect.getValue().getType());
  });
}

LogicalResult mlir::dynbatch::insertAccessChecks(func::FuncOp func,
                                                 SimtCalls &calls) {
  WalkResult result = func.walk([](Operation *op) {
    if (accessesUnchecked(op)) {
      op->emitOpError("is not supported in a kernel: its accesses of memory "
                      "cannot be checked");
      return WalkResult::interrupt();
    }
    if (isa<memref::AllocOp, func::CallOp>(op)) {
      op->emitOpError("is not supported in a kernel");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();

  // Checks make no accesses that would be checked themselves.
  func.walk([&](Operation *op) {
    if (std::optional<Access> access = getAccess(op))
      CheckBuilder(op, calls).check(*access);
    else if (auto view = dyn_cast<memref::SubViewOp>(op))
      CheckBuilder(op, calls).check(view);
    else if (auto view = dyn_cast<memref::ViewOp>(op))
      CheckBuilder(op, calls).check(view);
  });
  return success();
}
