//===- FormBlocks.cpp - Group tensor ops into static blocks -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentOps.h"
#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_FORMBLOCKS
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

static bool isTensor(Type type) { return isa<TensorType>(type); }

/// A parameter, a constant or an uninitialised tensor: host code can hold it.
static bool isLeaf(Operation *op) {
  return matchPattern(op, m_Constant()) ||
         (op->getNumOperands() == 0 && op->getNumRegions() == 0);
}

/// A parameter, a constant, an uninitialised tensor, or made of these alone:
/// cheaper to have in every block than to pass between tasks.
static bool isRematerializable(Operation *op) {
  SmallVector<Operation *> worklist = {op};
  DenseSet<Operation *> visited;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (!visited.insert(next).second || matchPattern(next, m_Constant()))
      continue;
    if (next->getNumResults() != 1 || !isTensor(next->getResult(0).getType()) ||
        !isMemoryEffectFree(next) ||
        (!isLeaf(next) && !isa<BatchableOpInterface>(next)))
      return false;
    SetVector<Value> used(next->operand_begin(), next->operand_end());
    getUsedValuesDefinedAbove(next->getRegions(), used);
    for (Value value : used) {
      if (!value.getDefiningOp())
        return false;
      worklist.push_back(value.getDefiningOp());
    }
  }
  return true;
}

/// Control flow and the dialect's own ops handle tensors without computing. So
/// does a choice between two tensors, to which upstream folds an `scf.if`.
static bool isHostOp(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return !isTensor(select.getCondition().getType());
  return isa<CallOpInterface, RegionBranchOpInterface>(op) ||
         isa<DynbatchDialect>(op->getDialect());
}

static bool touchesTensors(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isTensor) ||
         llvm::any_of(op->getResultTypes(), isTensor);
}

/// Whether `op` goes into a static block; failure when it has no place at all.
static FailureOr<bool> isTensorOp(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op);
      call && !isa<SymbolRefAttr>(call.getCallableForCallee()))
    return op->emitOpError("is an indirect call, but which kernels a program "
                           "may run must be known");
  if (isHostOp(op) || isRematerializable(op))
    return false;
  // Host ops are reordered around blocks.
  if (!isMemoryEffectFree(op))
    return op->emitOpError(
        "has side effects, but instance programs must be pure");
  if (!touchesTensors(op) && op->getNumRegions() == 0)
    return false;
  auto emitError = [&] { return op->emitOpError("cannot be batched: "); };
  if (failed(verifyBatchable(op, emitError)))
    return failure();
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  values.insert_range(op->getResults());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  for (Value value : values)
    if (!isTaskOperandType(value.getType()))
      return emitError() << "a task cannot have a value of type "
                         << value.getType();
  return true;
}

/// Branches and terminators of regions hand tensors on; some have regions with
/// ops of their own (scf.forall.in_parallel).
static LogicalResult verifyTerminator(Operation *op) {
  if (op->getNumRegions() == 0 || isa<RegionBranchOpInterface>(op))
    return success();
  return op->emitOpError("cannot be batched: its region is not control flow of "
                         "one instance");
}

namespace {
/// Splits one basic block into phases: host ops of phase n need blocks before
/// n only; block n needs host ops up to phase n.
class BlockFormer {
public:
  BlockFormer(Block &block, bool coarsen, const RecurrentOps *recurrent)
      : block(block), coarsen(coarsen), recurrent(recurrent) {}

  LogicalResult classify();
  /// Creates the ops; returns the number of blocks.
  int64_t build(int64_t &numOps);

private:
  /// The first phase in which a tensor op (`forBlock`) or a host op may use
  /// `value`.
  unsigned getPhase(Value value, bool forBlock) const;
  /// Moves `ops` into a block in front of `before`.
  void buildBlock(ArrayRef<Operation *> ops, Operation *before);
  /// Cuts the tensor ops of a phase so that no part mixes stages; producers
  /// come before consumers.
  SmallVector<SmallVector<Operation *>> cut(ArrayRef<Operation *> ops);

  Block &block;
  bool coarsen;
  /// Null when blocks are not cut.
  const RecurrentOps *recurrent;
  DenseMap<Operation *, unsigned> phases;
  SmallVector<Operation *> rematerializable;
  SmallVector<SmallVector<Operation *>> hostOps, tensorOps;
  DenseSet<Operation *> inBlocks;
};
} // namespace

unsigned BlockFormer::getPhase(Value value, bool forBlock) const {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != &block)
    return 0;
  unsigned phase = phases.lookup(def);
  return inBlocks.contains(def) && !forBlock ? phase + 1 : phase;
}

LogicalResult BlockFormer::classify() {
  // A dead op makes no task.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  if (failed(verifyTerminator(block.getTerminator())))
    return failure();
  for (Operation &op : block.without_terminator()) {
    FailureOr<bool> tensorOp = isTensorOp(&op);
    if (failed(tensorOp))
      return failure();
    if (isRematerializable(&op) || matchPattern(&op, m_Constant())) {
      if (!isLeaf(&op) && failed(verifyBatchable(&op, [&] {
            return op.emitOpError("cannot be batched: ");
          })))
        return failure();
      rematerializable.push_back(&op);
      continue;
    }
    unsigned phase = 0;
    auto use = [&](Value value) {
      phase = std::max(phase, getPhase(value, *tensorOp));
    };
    for (Value operand : op.getOperands())
      use(operand);
    for (Region &region : op.getRegions())
      visitUsedValuesDefinedAbove(
          region, [&](OpOperand *operand) { use(operand->get()); });
    phases[&op] = phase;
    if (*tensorOp)
      inBlocks.insert(&op);
    auto &list = *tensorOp ? tensorOps : hostOps;
    if (list.size() <= phase)
      list.resize(phase + 1);
    list[phase].push_back(&op);
  }
  return success();
}

void BlockFormer::buildBlock(ArrayRef<Operation *> ops, Operation *before) {
  DenseSet<Operation *> members(ops.begin(), ops.end());
  SetVector<Value> outputs;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        if (!members.contains(block.findAncestorOpInBlock(*user)))
          outputs.insert(result);
  // A block's location is its ops'.
  SmallVector<Location> locs;
  for (Operation *op : ops)
    locs.push_back(op->getLoc());
  Location loc = FusedLoc::get(block.getParentOp()->getContext(), locs);

  OpBuilder builder(before);
  auto blockOp = BlockOp::create(builder, loc,
                                 TypeRange(ValueRange(outputs.getArrayRef())));
  Block &body = blockOp.getBody().emplaceBlock();
  for (Operation *op : ops)
    op->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, loc, outputs.getArrayRef());
  for (auto [i, result] : llvm::enumerate(blockOp.getResults()))
    Value(outputs[i]).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !blockOp->isAncestor(use.getOwner());
    });

  // Its own copy of every parameter and constant, wherever that is defined, and
  // of what they are made of.
  bool changed = true;
  while (changed) {
    changed = false;
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(blockOp.getBody(), captured);
    for (Value value : captured) {
      Operation *def = value.getDefiningOp();
      if (!def || !isRematerializable(def))
        continue;
      // In front of copies that use it.
      builder.setInsertionPointToStart(&body);
      Value copy = builder.clone(*def)->getResult(0);
      replaceAllUsesInRegionWith(value, copy, blockOp.getBody());
      changed = true;
    }
  }
}

SmallVector<SmallVector<Operation *>>
BlockFormer::cut(ArrayRef<Operation *> ops) {
  if (!recurrent)
    return {llvm::to_vector(ops)};
  // Parts in the order in which they must run: an op follows its producers, one
  // part later if only one of them lies in a recurrence. What a forced read
  // waits for in every step stays with the step.
  DenseMap<Operation *, std::pair<unsigned, bool>> places;
  llvm::MapVector<std::pair<unsigned, unsigned>, SmallVector<Operation *>>
      parts;
  unsigned numRanks = 0;
  for (Operation *op : ops) {
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    SmallVector<std::pair<unsigned, bool>> producers;
    for (Value value : used)
      if (auto it = places.find(value.getDefiningOp()); it != places.end())
        producers.push_back(it->second);
    bool isRecurrent = recurrent->contains(op);
    if (recurrent->hasForcedReads())
      isRecurrent |=
          llvm::any_of(producers, [](std::pair<unsigned, bool> place) {
            return place.second;
          });
    unsigned rank = 0;
    for (auto [producerRank, producerIsRecurrent] : producers)
      rank =
          std::max(rank, producerRank + (producerIsRecurrent != isRecurrent));
    places[op] = {rank, isRecurrent};
    numRanks = std::max(numRanks, rank + 1);
    parts[{rank, unsigned(isRecurrent)}].push_back(op);
  }
  // Moving data alone is not worth a task of its own.
  auto *first = parts.find({0u, 0u});
  if (parts.size() > 1 && first != parts.end() &&
      llvm::all_of(first->second, [](Operation *op) {
        return cast<BatchableOpInterface>(op).getTaskFlops() == 0;
      }))
    return {llvm::to_vector(ops)};
  SmallVector<SmallVector<Operation *>> ordered;
  for (unsigned rank = 0; rank < numRanks; ++rank)
    for (auto &[key, members] : parts)
      if (key.first == rank)
        ordered.push_back(members);
  if (ordered.size() > 1)
    remark::analysis(
        ops.front()->getLoc(),
        remark::RemarkOpts::name("form-blocks").category("dynbatch"))
        << llvm::formatv(
               "{0} ops form {1} blocks instead of one, so that those "
               "of a recurrence are apart from what they need and "
               "from what needs them",
               ops.size(), ordered.size())
               .str();
  return ordered;
}

int64_t BlockFormer::build(int64_t &numOps) {
  int64_t numBlocks = 0;
  Operation *terminator = block.getTerminator();
  for (Operation *op : rematerializable)
    op->moveBefore(terminator);
  unsigned numPhases = std::max(hostOps.size(), tensorOps.size());
  hostOps.resize(numPhases);
  tensorOps.resize(numPhases);
  for (unsigned phase = 0; phase < numPhases; ++phase) {
    for (Operation *op : hostOps[phase])
      op->moveBefore(terminator);
    numOps += tensorOps[phase].size();
    for (ArrayRef<Operation *> ops : cut(tensorOps[phase]))
      while (!ops.empty()) {
        ArrayRef<Operation *> members = coarsen ? ops : ops.take_front();
        buildBlock(members, terminator);
        ops = ops.drop_front(members.size());
        ++numBlocks;
      }
  }
  // Users come before what they use: that is dead then, or has uses in host
  // code.
  for (Operation *op : llvm::reverse(rematerializable)) {
    if (op->use_empty()) {
      op->erase();
    } else if (!isLeaf(op)) {
      buildBlock(op, op);
      ++numBlocks;
      ++numOps;
    }
  }
  return numBlocks;
}

namespace {
struct FormBlocks : dynbatch::impl::FormBlocksBase<FormBlocks> {
  using FormBlocksBase::FormBlocksBase;

  void runOnOperation() override {
    // Order means nothing in unreachable code.
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, getOperation()->getRegions());
    // Inner regions first: a region op is a host op of its block by then. Other
    // regions than control flow's belong to tensor ops.
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp>(op))
        return WalkResult::advance();
      if (isa<KernelOp, BlockOp>(op) ||
          op->hasAttr(DynbatchDialect::kPrologueAttrName) ||
          !isa<FunctionOpInterface, RegionBranchOpInterface>(op))
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    // Before anything moves.
    std::optional<RecurrentOps> recurrent;
    if (cutStages) {
      SmallVector<Operation *> tensorOps;
      for (Block *block : blocks)
        for (Operation &op : *block)
          if (!isHostOp(&op) && touchesTensors(&op) &&
              !isRematerializable(&op) && isa<BatchableOpInterface>(op))
            tensorOps.push_back(&op);
      recurrent = RecurrentOps::find(getOperation(), tensorOps);
      if (!recurrent)
        return signalPassFailure();
    }
    for (Block *block : llvm::reverse(blocks)) {
      BlockFormer former(*block, coarsen, recurrent ? &*recurrent : nullptr);
      if (failed(former.classify()))
        return signalPassFailure();
      int64_t ops = 0;
      numBlocks += former.build(ops);
      numOps += ops;
    }
  }
};
} // namespace
