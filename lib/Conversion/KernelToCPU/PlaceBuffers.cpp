//===- PlaceBuffers.cpp - Buffers in the scratch memory of a call -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceBuffers.h"
#include "dynbatch/Conversion/BufferAt.h"
#include "dynbatch/Conversion/KernelLayout.h"
#include "dynbatch/Runtime/ABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// A buffer and the ops, numbered in program order, between which it is in use.
/// Sizes of buffers with a row for each row of the call are those of a row.
struct PlacedBuffer {
  memref::AllocOp alloc;
  int64_t begin, end;
  int64_t bytes, offset = 0;
  bool perRow;

  bool isInUseWith(const PlacedBuffer &other) const {
    return perRow == other.perRow && begin <= other.end && other.begin <= end;
  }
  bool overlaps(const PlacedBuffer &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};
} // namespace

/// The lowest place where `buffer` is in nobody's way.
static int64_t findPlace(PlacedBuffer buffer, ArrayRef<PlacedBuffer> others) {
  buffer.offset = 0;
  while (true) {
    const auto *other = llvm::find_if(others, [&](const PlacedBuffer &other) {
      return buffer.isInUseWith(other) && buffer.overlaps(other);
    });
    if (other == others.end())
      return buffer.offset;
    buffer.offset = other->offset + other->bytes;
  }
}

/// Whether a buffer of dynamic size has as many rows as there are in the call.
static bool hasRowsOfCall(memref::AllocOp alloc, Value count) {
  return alloc.getType().getNumDynamicDims() == 1 &&
         alloc.getType().isDynamicDim(0) &&
         ValueBoundsConstraintSet::areEqual(
             OpFoldResult(alloc.getDynamicSizes().front()), OpFoldResult(count))
             .value_or(false);
}

FailureOr<ScratchSize> mlir::dynbatch::placeBuffers(RewriterBase &rewriter,
                                                    func::FuncOp func,
                                                    Value count) {
  BufferViewFlowAnalysis aliases(func);
  DenseMap<Operation *, int64_t> numbers, lastInside;
  int64_t next = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) { numbers[op] = next++; });
  func.walk<WalkOrder::PostOrder>([&](Operation *op) {
    int64_t &last = lastInside[op];
    last = std::max(last, numbers[op]);
    if (Operation *parent = op->getParentOp())
      lastInside[parent] = std::max(lastInside[parent], last);
  });

  SmallVector<PlacedBuffer> buffers;
  WalkResult walk = func.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() && !hasRowsOfCall(alloc, count)) {
      alloc.emitOpError("needs ")
          << type << " of scratch memory, but its size does not follow from "
          << "the number of rows";
      return WalkResult::interrupt();
    }
    int64_t elements = 1;
    for (int64_t size : type.getShape())
      elements *= ShapedType::isDynamic(size) ? 1 : size;
    int64_t bytes = elements * getElementBytes(type.getElementType());
    PlacedBuffer buffer;
    buffer.alloc = alloc;
    buffer.begin = buffer.end = numbers[alloc];
    buffer.bytes = llvm::alignTo(bytes, DYNBATCH_TENSOR_ALIGNMENT);
    buffer.perRow = !type.hasStaticShape();
    for (Value alias : aliases.resolve(alloc))
      for (Operation *user : alias.getUsers()) {
        // A use in a loop lasts until the loop ends; what leaves the block is
        // in use until the end.
        Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*user);
        buffer.end = std::max(buffer.end, ancestor ? lastInside[ancestor]
                                                   : lastInside[func]);
      }
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();

  ScratchSize size;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    buffer.offset = findPlace(buffer, ArrayRef(buffers).take_front(i));
    int64_t &bytes = buffer.perRow ? size.bytesPerRow : size.bytes;
    bytes = std::max(bytes, buffer.offset + buffer.bytes);
  }
  Type i64 = rewriter.getI64Type();
  for (PlacedBuffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    Location loc = alloc.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIntOp::create(rewriter, loc, value, 64);
    };
    rewriter.setInsertionPointAfterValue(count);
    Value address =
        LLVM::PtrToIntOp::create(rewriter, loc, i64, func.getArgument(2));
    if (!buffer.perRow) {
      address = arith::AddIOp::create(rewriter, loc, address,
                                      constant(buffer.offset));
      rewriter.replaceOp(
          alloc, createBufferAt(rewriter, loc, address, alloc.getType()));
      continue;
    }
    Value distance = arith::MulIOp::create(rewriter, loc, func.getArgument(1),
                                           constant(buffer.offset));
    distance =
        arith::AddIOp::create(rewriter, loc, distance, constant(size.bytes));
    address = arith::AddIOp::create(rewriter, loc, address, distance);
    rewriter.replaceOp(
        alloc, createRowsAt(rewriter, loc, address, count, alloc.getType()));
  }
  return size;
}
