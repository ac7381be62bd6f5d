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

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// A buffer and the ops, numbered in program order, between which it is in use.
struct PlacedBuffer {
  memref::AllocOp alloc;
  int64_t begin, end;
  int64_t bytes, offset = 0;

  bool isInUseWith(const PlacedBuffer &other) const {
    return begin <= other.end && other.begin <= end;
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

int64_t mlir::dynbatch::placeBuffers(RewriterBase &rewriter,
                                     func::FuncOp func) {
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
  func.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape()) {
      rewriter.setInsertionPoint(alloc->getBlock()->getTerminator());
      memref::DeallocOp::create(rewriter, alloc.getLoc(), alloc);
      return;
    }
    PlacedBuffer buffer{
        alloc, numbers[alloc], numbers[alloc],
        static_cast<int64_t>(llvm::alignTo(
            type.getNumElements() * getElementBytes(type.getElementType()),
            DYNBATCH_TENSOR_ALIGNMENT))};
    for (Value alias : aliases.resolve(alloc))
      for (Operation *user : alias.getUsers()) {
        // A use in a loop lasts until the loop ends; what leaves the block is
        // in use until the end.
        Operation *ancestor = alloc->getBlock()->findAncestorOpInBlock(*user);
        buffer.end = std::max(buffer.end, ancestor ? lastInside[ancestor]
                                                   : lastInside[func]);
      }
    buffers.push_back(buffer);
  });

  int64_t scratchBytes = 0;
  Type i64 = rewriter.getI64Type();
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    buffer.offset = findPlace(buffer, ArrayRef(buffers).take_front(i));
    scratchBytes = std::max(scratchBytes, buffer.offset + buffer.bytes);
    Location loc = buffer.alloc.getLoc();
    rewriter.setInsertionPointToStart(&func.getBody().front());
    Value address =
        LLVM::PtrToIntOp::create(rewriter, loc, i64, func.getArgument(2));
    Value offset =
        arith::ConstantIntOp::create(rewriter, loc, buffer.offset, 64);
    address = arith::AddIOp::create(rewriter, loc, address, offset);
    rewriter.replaceOp(buffer.alloc, createBufferAt(rewriter, loc, address,
                                                    buffer.alloc.getType()));
  }
  return scratchBytes;
}
