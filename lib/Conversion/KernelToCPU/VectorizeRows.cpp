//===- VectorizeRows.cpp - Vector code for ops on single rows -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorizeRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Hoisting.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlir::dynbatch;

FailureOr<linalg::LinalgOp>
mlir::dynbatch::tileInLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                            ArrayRef<OpFoldResult> sizes) {
  if (llvm::all_of(sizes, isZeroInteger))
    return op;
  rewriter.setInsertionPoint(op);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  FailureOr<scf::SCFTilingResult> result = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(result))
    return op.emitOpError("cannot be tiled");
  rewriter.eraseOp(op);
  return cast<linalg::LinalgOp>(result->tiledOps.front());
}

namespace {
/// Iterations of a parallel loop that go through a reduction side by side.
struct Chains {
  unsigned loop = 0;
  int64_t count = 1;
};
} // namespace

/// One chain of sums waits for its last addition; several, as many as there are
/// registers for, do not, and share what they read of the other operand.
static Chains chooseChains(linalg::LinalgOp op, unsigned vectorLoop) {
  constexpr int64_t kMostChains = 6;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (op.getNumReductionLoops() == 0 ||
      !linalg::isParallelIterator(iterators[vectorLoop]))
    return {};
  for (unsigned loop = ranges.size(); loop-- > 0;) {
    if (loop == vectorLoop || !linalg::isParallelIterator(iterators[loop]) ||
        ShapedType::isDynamic(ranges[loop]))
      continue;
    for (int64_t count = kMostChains; count > 1; --count)
      if (ranges[loop] % count == 0)
        return {loop, count};
  }
  return {};
}

/// Tiles `op` to one vector along `loop`, which `lanes` divides, and returns an
/// op for each of the chains.
static FailureOr<SmallVector<linalg::LinalgOp>>
tileToVectors(RewriterBase &rewriter, linalg::LinalgOp op, unsigned loop,
              int64_t lanes, const Chains &chains) {
  SmallVector<OpFoldResult> sizes;
  for (auto [i, range] : llvm::enumerate(op.getStaticLoopRanges())) {
    int64_t size = 1;
    if (i == loop)
      size = lanes;
    else if (i == chains.loop)
      size = chains.count;
    // 0: not tiled.
    sizes.push_back(rewriter.getIndexAttr(size == range ? 0 : size));
  }
  FailureOr<linalg::LinalgOp> rest = tileInLoops(rewriter, op, sizes);
  if (failed(rest))
    return failure();
  SmallVector<linalg::LinalgOp> ops;
  for (int64_t chain = 1; chain < chains.count; ++chain) {
    rewriter.setInsertionPoint(*rest);
    auto [first, others] =
        linalg::splitOp(rewriter, cast<TilingInterface>(rest->getOperation()),
                        chains.loop, rewriter.getIndexAttr(1));
    ops.push_back(cast<linalg::LinalgOp>(first.getOperation()));
    rest = cast<linalg::LinalgOp>(others.getOperation());
  }
  ops.push_back(*rest);
  return ops;
}

static LogicalResult lowerToLoops(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  if (failed(linalg::linalgOpToLoops(rewriter, op)))
    return op.emitOpError("cannot be lowered to loops");
  rewriter.eraseOp(op);
  return success();
}

/// Whether consecutive iterations of `loop` use consecutive elements of
/// `operand`, or always the same one.
static bool isContiguous(linalg::LinalgOp op, OpOperand &operand,
                         unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    if (!result.isFunctionOfDim(loop))
      continue;
    if (i + 1 != map.getNumResults() || !isa<AffineDimExpr>(result))
      return false;
  }
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  return !type || type.getRank() == 0 || type.isLastDimUnitStride();
}

/// The loop to write vector code for: a parallel one if possible, or else the
/// last reduction.
static std::optional<unsigned> chooseVectorLoop(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  // Vectors of i1 are packed, while in memory each i1 takes a byte.
  if (llvm::any_of(op->getOperandTypes(), [](Type type) {
        Type element = getElementTypeOrSelf(type);
        return element.isInteger() && element.getIntOrFloatBitWidth() < 8;
      }))
    return {};
  // Anything but permutations would need gathers.
  if (!llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return {};
  for (auto kind :
       {utils::IteratorType::parallel, utils::IteratorType::reduction})
    for (unsigned loop = ranges.size(); loop-- > 0;)
      if (iterators[loop] == kind && !ShapedType::isDynamic(ranges[loop]) &&
          ranges[loop] > 1 &&
          llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
            return isContiguous(op, operand, loop);
          }))
        return loop;
  return {};
}

void mlir::dynbatch::splitReductions(RewriterBase &rewriter,
                                     FunctionOpInterface func, int64_t lanes) {
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    std::optional<unsigned> loop = chooseVectorLoop(op);
    // Upstream would leave `linalg.index` with the number of the vector.
    if (op.hasIndexSemantics() || !loop ||
        op.getIteratorTypesArray()[*loop] != utils::IteratorType::reduction)
      continue;
    // Upstream expands operands of static shape only.
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    if (ShapedType::isDynamicShape(ranges) || ranges[*loop] % lanes != 0 ||
        ranges[*loop] == lanes)
      continue;
    unsigned rank = op.getRank(op.getDpsInitOperand(0));
    rewriter.setInsertionPoint(op);
    // Ops that it cannot split stay as they are.
    (void)linalg::splitReduction(rewriter, op, [&](linalg::LinalgOp) {
      return linalg::SplitReductionOptions{lanes, /*index=*/rank,
                                           /*innerParallel=*/true};
    });
  }
}

/// `op` with `loop` alone, so that all vectors have one dimension; all other
/// loops make one iteration.
static linalg::GenericOp keepOneLoop(RewriterBase &rewriter,
                                     linalg::LinalgOp op, unsigned loop) {
  Location loc = op.getLoc();
  int64_t size = op.getStaticLoopRanges()[loop];
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    bool moves = op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop);
    AffineExpr dim = rewriter.getAffineDimExpr(0);
    maps.push_back(
        AffineMap::get(1, 0, moves ? ArrayRef(dim) : ArrayRef<AffineExpr>(),
                       rewriter.getContext()));
    Value value = operand.get();
    if (isa<MemRefType>(value.getType())) {
      FailureOr<Value> view = memref::SubViewOp::rankReduceIfNeeded(
          rewriter, loc, value,
          moves ? ArrayRef<int64_t>(size) : ArrayRef<int64_t>());
      assert(succeeded(view) && "other dimensions have size 1");
      value = *view;
    }
    operands.push_back(value);
  }
  unsigned numInputs = op.getNumDpsInputs();
  auto generic = linalg::GenericOp::create(
      rewriter, loc, ArrayRef(operands).take_front(numInputs),
      ArrayRef(operands).drop_front(numInputs), maps,
      op.getIteratorTypesArray()[loop],
      [&](OpBuilder &body, Location loc, ValueRange args) {
        IRMapping mapping;
        Block *old = op.getBlock();
        mapping.map(old->getArguments(),
                    args.take_front(old->getNumArguments()));
        for (Operation &inner : old->without_terminator()) {
          auto index = dyn_cast<linalg::IndexOp>(inner);
          if (!index)
            body.clone(inner, mapping);
          else if (index.getDim() == loop)
            mapping.map(index.getResult(),
                        linalg::IndexOp::create(body, loc, 0));
          else
            mapping.map(index.getResult(),
                        arith::ConstantIndexOp::create(body, loc, 0));
        }
        linalg::YieldOp::create(
            body, loc,
            llvm::map_to_vector(
                old->getTerminator()->getOperands(),
                [&](Value value) { return mapping.lookupOrDefault(value); }));
      });
  rewriter.eraseOp(op);
  return generic;
}

/// Vector code for `op` along `loop`.
static LogicalResult vectorizeOp(RewriterBase &rewriter, linalg::LinalgOp op,
                                 unsigned loop, int64_t lanes) {
  int64_t size = op.getStaticLoopRanges()[loop];
  SmallVector<std::pair<linalg::LinalgOp, int64_t>> parts;
  int64_t whole = size / lanes * lanes;
  if (whole == 0) {
    parts.emplace_back(op, size);
  } else if (whole == size) {
    parts.emplace_back(op, lanes);
  } else {
    rewriter.setInsertionPoint(op);
    auto [first, rest] =
        linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()),
                        loop, rewriter.getIndexAttr(whole));
    parts.emplace_back(cast<linalg::LinalgOp>(first.getOperation()), lanes);
    parts.emplace_back(cast<linalg::LinalgOp>(rest.getOperation()),
                       size - whole);
  }
  for (auto [part, width] : parts) {
    if (width == 1) {
      if (failed(lowerToLoops(rewriter, part)))
        return failure();
      continue;
    }
    FailureOr<SmallVector<linalg::LinalgOp>> vectors =
        tileToVectors(rewriter, part, loop, width, chooseChains(part, loop));
    if (failed(vectors))
      return failure();
    for (linalg::LinalgOp vector : *vectors) {
      linalg::GenericOp op = keepOneLoop(rewriter, vector, loop);
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::vectorize(rewriter, op)))
        rewriter.eraseOp(op);
      else if (failed(lowerToLoops(rewriter, op)))
        return failure();
    }
  }
  return success();
}

LogicalResult mlir::dynbatch::vectorizeRows(FunctionOpInterface func,
                                            int64_t lanes) {
  MLIRContext *context = func.getContext();
  IRRewriter rewriter(context);
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    std::optional<unsigned> loop = chooseVectorLoop(op);
    if (failed(loop ? vectorizeOp(rewriter, op, *loop, lanes)
                    : lowerToLoops(rewriter, op)))
      return failure();
  }

  // Sums stay in registers: what a reduction reads and writes leaves its loop.
  RewritePatternSet views(context);
  memref::populateFoldMemRefAliasOpPatterns(views);
  // A pattern that gives up after it has made index arithmetic looks to the
  // driver like changes without end. What is not folded is right as it is.
  (void)applyPatternsGreedily(func, std::move(views));
  func.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  // Hoisting knows the same element by the same index value.
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
  linalg::hoistRedundantVectorTransfers(func);

  RewritePatternSet vectors(context);
  vector::populateVectorMultiReductionLoweringPatterns(
      vectors, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorBroadcastLoweringPatterns(vectors);
  vector::populateVectorTransferLoweringPatterns(vectors,
                                                 /*maxTransferRank=*/1);
  vector::populateScalarVectorTransferLoweringPatterns(
      vectors, /*benefit=*/1, /*allowMultipleUses=*/true);
  memref::SubViewOp::getCanonicalizationPatterns(vectors, context);
  vector::TransferReadOp::getCanonicalizationPatterns(vectors, context);
  vector::TransferWriteOp::getCanonicalizationPatterns(vectors, context);
  if (failed(applyPatternsGreedily(func, std::move(vectors))))
    return func.emitOpError("vector operations cannot be lowered");
  // Partial results of lanes are added up in a tree; one after the other they
  // would take as long as a sum of a thousand terms before them.
  func.walk([](vector::ReductionOp op) {
    if (isa<FloatType>(op.getDest().getType()))
      op.setFastmath(op.getFastmath() | arith::FastMathFlags::reassoc);
  });

  RewritePatternSet maths(context);
  populateMathPolynomialApproximationPatterns(maths);
  if (failed(applyPatternsGreedily(func, std::move(maths))))
    return func.emitOpError("mathematical functions cannot be approximated");
  return success();
}
