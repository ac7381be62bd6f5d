//===- FuseHorizontal.cpp - One contraction with concatenated weights -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_FUSEHORIZONTAL
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// Values of the body that do not depend on the task.
static DenseSet<Value> getSharedValues(KernelOp kernel) {
  DenseSet<Value> shared;
  for (Operation &op : kernel.getBody().front())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getOperands(),
                     [&](Value value) { return shared.contains(value); }))
      shared.insert(op.result_begin(), op.result_end());
  return shared;
}

static Value concat(OpBuilder &builder, ArrayRef<Value> values, Location loc) {
  return tensor::ConcatOp::create(builder, loc, /*dim=*/0, values);
}

/// Replaces `products`, which all multiply the same vector, by one. It stands
/// where the first of them stood: all that the others need is shared.
static void fuse(KernelOp kernel, ArrayRef<linalg::MatvecOp> products) {
  SmallVector<Value> matrices, inits;
  SmallVector<Location> locs;
  for (linalg::MatvecOp product : products) {
    matrices.push_back(product.getInputs()[0]);
    inits.push_back(product.getOutputs()[0]);
    locs.push_back(product.getLoc());
  }
  // Shared values move up, in order, so that they dominate the first product.
  linalg::MatvecOp first = products.front();
  SetVector<Operation *> needed;
  SmallVector<Value> stack(matrices);
  llvm::append_range(stack, inits);
  while (!stack.empty())
    if (Operation *def = stack.pop_back_val().getDefiningOp();
        def && needed.insert(def))
      llvm::append_range(stack, def->getOperands());
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front()))
    if (needed.contains(&op) && first->isBeforeInBlock(&op))
      op.moveBefore(first);

  OpBuilder builder(first);
  Location loc = FusedLoc::get(builder.getContext(), locs);
  Value matrix = concat(builder, matrices, loc);
  Value init = concat(builder, inits, loc);
  Value product =
      linalg::MatvecOp::create(builder, loc, TypeRange(init.getType()),
                               ValueRange{matrix, first.getInputs()[1]},
                               ValueRange{init})
          .getResult(0);
  int64_t offset = 0;
  for (linalg::MatvecOp old : products) {
    auto type = cast<RankedTensorType>(old.getResult(0).getType());
    builder.setInsertionPoint(old);
    Value slice = tensor::ExtractSliceOp::create(
        builder, old.getLoc(), product,
        ArrayRef<OpFoldResult>{builder.getIndexAttr(offset)},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(type.getDimSize(0))},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
    offset += type.getDimSize(0);
    old.getResult(0).replaceAllUsesWith(slice);
    old.erase();
  }
}

namespace {
struct FuseHorizontal : dynbatch::impl::FuseHorizontalBase<FuseHorizontal> {
  using FuseHorizontalBase::FuseHorizontalBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.isExternal() || kernel.isBatched())
      return;
    DenseSet<Value> shared = getSharedValues(kernel);
    // Products by the vector that they multiply and the types of the elements
    // of matrix and result.
    llvm::MapVector<std::tuple<Value, Type, Type>,
                    SmallVector<linalg::MatvecOp>>
        groups;
    for (auto product : kernel.getBody().getOps<linalg::MatvecOp>()) {
      Value matrix = product.getInputs()[0], vector = product.getInputs()[1],
            init = product.getOutputs()[0];
      if (shared.contains(matrix) && shared.contains(init) &&
          !shared.contains(vector))
        groups[{vector, getElementTypeOrSelf(matrix),
                getElementTypeOrSelf(init)}]
            .push_back(product);
    }
    for (auto &[key, products] : groups) {
      if (products.size() < 2)
        continue;
      fuse(kernel, products);
      numFused += products.size() - 1;
    }
  }
};
} // namespace
