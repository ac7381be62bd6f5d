//===- ForkCalls.cpp - Independent calls that may be parked run concurrently -*-
//C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_FORKCALLS
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
class CallForker {
public:
  explicit CallForker(ModuleOp module);

  void run();

  int64_t numSpawns = 0;

private:
  /// Whether running `op` may reach a forced read.
  bool mayPark(Operation *op);
  void forkCalls(Block &block);
  void forkMap(MapOp map);

  ModuleOp module;
  SymbolTable symbols;
  DenseSet<Operation *> parkingFunctions;
};
} // namespace

CallForker::CallForker(ModuleOp module) : module(module), symbols(module) {
  // Callers of a function that may be parked may be parked.
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto func : module.getOps<func::FuncOp>())
      if (!parkingFunctions.contains(func) && mayPark(func)) {
        parkingFunctions.insert(func);
        changed = true;
      }
  }
}

bool CallForker::mayPark(Operation *op) {
  return op
      ->walk([&](Operation *nested) {
        auto call = dyn_cast<func::CallOp>(nested);
        bool parks = isa<ReadOp>(nested) ||
                     (call && parkingFunctions.contains(
                                  symbols.lookup(call.getCallee())));
        return parks ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Ops of `block` that need a result of `op`, directly or not.
static DenseSet<Operation *> getDependents(Block &block, Operation *op) {
  DenseSet<Operation *> dependents;
  SmallVector<Operation *> worklist = {op};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers())
      if (Operation *ancestor = block.findAncestorOpInBlock(*user);
          ancestor && dependents.insert(ancestor).second)
        worklist.push_back(ancestor);
  return dependents;
}

void CallForker::forkCalls(Block &block) {
  SmallVector<func::CallOp> calls;
  for (auto call : block.getOps<func::CallOp>())
    if (parkingFunctions.contains(symbols.lookup(call.getCallee())))
      calls.push_back(call);
  for (auto [i, call] : llvm::enumerate(calls)) {
    DenseSet<Operation *> dependents = getDependents(block, call);
    // The first op that needs this call's results.
    Operation *join = block.getTerminator();
    for (Operation *op : dependents)
      if (op->isBeforeInBlock(join))
        join = op;
    // Something independent must be there to run meanwhile.
    if (llvm::none_of(
            ArrayRef(calls).drop_front(i + 1),
            [&](func::CallOp later) { return later->isBeforeInBlock(join); }))
      continue;
    OpBuilder builder(call);
    auto type = FiberType::get(builder.getContext(),
                               SmallVector<Type>(call.getResultTypes()));
    Value fiber = SpawnOp::create(builder, call.getLoc(), type,
                                  call.getCalleeAttr(), call.getOperands());
    builder.setInsertionPoint(join);
    auto joinOp =
        JoinOp::create(builder, call.getLoc(), call.getResultTypes(), fiber);
    call.replaceAllUsesWith(joinOp.getResults());
    call.erase();
    ++numSpawns;
  }
}

/// The body of a map becomes a function, which one map spawns for every element
/// and a second one joins.
void CallForker::forkMap(MapOp map) {
  Location loc = map.getLoc();
  Block &body = map.getBody().front();
  auto parent = map->getParentOfType<func::FuncOp>();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(map.getBody(), captured);
  SmallVector<Value> operands;
  SmallVector<Operation *> constants;
  for (Value value : captured)
    if (matchPattern(value, m_Constant()))
      constants.push_back(value.getDefiningOp());
    else
      operands.push_back(value);

  OpBuilder builder(map.getContext());
  SmallVector<Type> inputs(body.getArgumentTypes());
  llvm::append_range(inputs, ValueRange(operands).getTypes());
  Operation *yield = body.getTerminator();
  SmallVector<Type> results(yield->getOperandTypes());
  auto func =
      func::FuncOp::create(builder, loc, (parent.getName() + "_element").str(),
                           builder.getFunctionType(inputs, results));
  func.setPrivate();
  symbols.insert(func, std::next(Block::iterator(parent)));
  Block *entry = func.addEntryBlock();
  IRMapping mapping;
  mapping.map(body.getArguments(),
              entry->getArguments().take_front(body.getNumArguments()));
  mapping.map(operands,
              entry->getArguments().drop_front(body.getNumArguments()));
  builder.setInsertionPointToStart(entry);
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> returned =
      llvm::map_to_vector(yield->getOperands(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
  func::ReturnOp::create(builder, yield->getLoc(), returned);
  parkingFunctions.insert(func);

  auto createMap = [&](ValueRange sequences, TypeRange types) {
    auto created = MapOp::create(builder, loc, types, sequences);
    Block &block = created.getBody().emplaceBlock();
    for (Value sequence : sequences)
      block.addArgument(cast<SeqType>(sequence.getType()).getElementType(),
                        loc);
    builder.setInsertionPointToStart(&block);
    return created;
  };
  auto fiberType = FiberType::get(builder.getContext(), results);
  builder.setInsertionPoint(map);
  MapOp spawns = createMap(map.getInputs(), SeqType::get(fiberType));
  SmallVector<Value> arguments(spawns.getBody().getArguments());
  llvm::append_range(arguments, operands);
  Value fiber =
      SpawnOp::create(builder, loc, fiberType, func.getName(), arguments);
  YieldOp::create(builder, loc, fiber);
  builder.setInsertionPointAfter(spawns);
  MapOp joins = createMap(spawns.getResults(), map.getResultTypes());
  auto join =
      JoinOp::create(builder, loc, results, joins.getBody().getArgument(0));
  YieldOp::create(builder, loc, join.getResults());
  map.replaceAllUsesWith(joins.getResults());
  map.erase();
  ++numSpawns;
}

void CallForker::run() {
  if (parkingFunctions.empty())
    return;
  SmallVector<MapOp> maps;
  module.walk([&](MapOp map) {
    if (mayPark(map))
      maps.push_back(map);
  });
  for (MapOp map : maps)
    forkMap(map);
  SmallVector<Block *> blocks;
  for (auto func : module.getOps<func::FuncOp>())
    func.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    forkCalls(*block);
}

namespace {
struct ForkCalls : dynbatch::impl::ForkCallsBase<ForkCalls> {
  using ForkCallsBase::ForkCallsBase;

  void runOnOperation() override {
    CallForker forker(getOperation());
    forker.run();
    numSpawns += forker.numSpawns;
  }
};
} // namespace
