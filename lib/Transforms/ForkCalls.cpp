//===- ForkCalls.cpp - Independent code that may be parked ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  bool mayPark(Operation *op) const;
  /// Whether it pays to run `op` beside other code: what it may wait for is
  /// not there yet when it starts.
  bool isWorthFiber(Operation *op) const;
  bool isParkingCall(Operation *op) const;

  void forkMap(MapOp map);
  void forkOps(Block &block);
  /// Runs `op` on a child fiber that is joined before `join`.
  void fork(Operation *op, Operation *join);

  /// A private function behind that of `op`, still empty.
  func::FuncOp createFunction(Operation *op, StringRef suffix, TypeRange inputs,
                              TypeRange results);

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

bool CallForker::isParkingCall(Operation *op) const {
  auto call = dyn_cast<func::CallOp>(op);
  return call && parkingFunctions.contains(symbols.lookup(call.getCallee()));
}

bool CallForker::mayPark(Operation *op) const {
  return op
      ->walk([&](Operation *nested) {
        bool parks = isa<ReadOp, JoinOp>(nested) || isParkingCall(nested);
        return parks ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool CallForker::isWorthFiber(Operation *op) const {
  return op
      ->walk([&](Operation *nested) {
        // The flush that the first read of outside values waits for serves the
        // later ones, too.
        auto read = dyn_cast<ReadOp>(nested);
        bool waits =
            read ? op->isAncestor(
                       read.getTensor().getParentRegion()->getParentOp())
                 : isa<SpawnOp>(nested) || isParkingCall(nested);
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first op of the block of `op` that needs a result of it: the terminator
/// if there is no other.
static Operation *getFirstDependent(Operation *op) {
  Block &block = *op->getBlock();
  Operation *first = block.getTerminator();
  for (Operation *user : op->getUsers())
    if (Operation *ancestor = block.findAncestorOpInBlock(*user);
        ancestor->isBeforeInBlock(first))
      first = ancestor;
  return first;
}

/// What a function in place of `op` takes from outside.
static SetVector<Value> getCaptured(Operation *op) {
  SetVector<Value> captured(llvm::from_range, op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured;
}

/// Whether `op` takes and gives data only, as a fiber can.
static bool hasDataBorder(Operation *op) {
  auto isData = [](Value value) { return isDataType(value.getType()); };
  return llvm::all_of(op->getResults(), isData) &&
         llvm::all_of(getCaptured(op), isData);
}

func::FuncOp CallForker::createFunction(Operation *op, StringRef suffix,
                                        TypeRange inputs, TypeRange results) {
  auto parent = op->getParentOfType<func::FuncOp>();
  OpBuilder builder(op->getContext());
  auto func = func::FuncOp::create(builder, op->getLoc(),
                                   (parent.getName() + suffix).str(),
                                   builder.getFunctionType(inputs, results));
  func.setPrivate();
  func.addEntryBlock();
  symbols.insert(func, std::next(Block::iterator(parent)));
  parkingFunctions.insert(func);
  return func;
}

/// Makes the `captured` values, which code that has moved into `func` uses,
/// further arguments of it; constants are copied. Returns the operands for
/// them.
static SmallVector<Value> isolate(func::FuncOp func,
                                  const SetVector<Value> &captured) {
  Block &entry = func.getBody().front();
  OpBuilder builder(&entry, entry.begin());
  SmallVector<Value> operands;
  for (Value value : captured) {
    Value inside;
    if (matchPattern(value, m_Constant())) {
      inside = builder.clone(*value.getDefiningOp())->getResult(0);
    } else {
      operands.push_back(value);
      (void)func.insertArgument(func.getNumArguments(), value.getType(), {},
                                value.getLoc());
      inside = entry.getArguments().back();
    }
    replaceAllUsesInRegionWith(value, inside, func.getBody());
  }
  return operands;
}

/// The body of a map becomes a function, which one map spawns for every element
/// and a second one joins.
void CallForker::forkMap(MapOp map) {
  Location loc = map.getLoc();
  Block &body = map.getBody().front();
  Operation *yield = body.getTerminator();
  SmallVector<Type> results(yield->getOperandTypes());
  func::FuncOp func =
      createFunction(map, "_element", body.getArgumentTypes(), results);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(map.getBody(), captured);
  Block &entry = func.getBody().front();
  entry.getOperations().splice(entry.end(), body.getOperations());
  for (auto [outside, inside] :
       llvm::zip_equal(body.getArguments(), entry.getArguments()))
    outside.replaceAllUsesWith(inside);
  OpBuilder builder(yield);
  func::ReturnOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  SmallVector<Value> operands = isolate(func, captured);

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
  builder.setInsertionPoint(getFirstDependent(map));
  MapOp joins = createMap(spawns.getResults(), map.getResultTypes());
  auto join =
      JoinOp::create(builder, loc, results, joins.getBody().getArgument(0));
  YieldOp::create(builder, loc, join.getResults());
  map.replaceAllUsesWith(joins.getResults());
  map.erase();
  ++numSpawns;
}

void CallForker::fork(Operation *op, Operation *join) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto type = FiberType::get(builder.getContext(),
                             SmallVector<Type>(op->getResultTypes()));
  auto createFiber = [&](StringRef callee, ValueRange operands) -> Value {
    return SpawnOp::create(builder, op->getLoc(), type, callee, operands);
  };
  auto createJoin = [&](Value fiber) {
    builder.setInsertionPoint(join);
    auto joinOp =
        JoinOp::create(builder, op->getLoc(), op->getResultTypes(), fiber);
    op->replaceAllUsesWith(joinOp.getResults());
  };
  if (auto call = dyn_cast<func::CallOp>(op)) {
    createJoin(createFiber(call.getCallee(), call.getOperands()));
    op->erase();
  } else {
    func::FuncOp func = createFunction(op, "_branch", {}, op->getResultTypes());
    SetVector<Value> captured = getCaptured(op);
    Block &entry = func.getBody().front();
    op->moveBefore(&entry, entry.end());
    createJoin(createFiber(func.getName(), isolate(func, captured)));
    builder.setInsertionPointToEnd(&entry);
    func::ReturnOp::create(builder, op->getLoc(), op->getResults());
  }
  ++numSpawns;
}

void CallForker::forkOps(Block &block) {
  SmallVector<Operation *> candidates;
  for (Operation &op : block.without_terminator())
    if (isWorthFiber(&op))
      candidates.push_back(&op);
  for (auto [i, op] : llvm::enumerate(candidates)) {
    // The elements of a map have fibers of their own.
    if (isa<MapOp, SpawnOp>(op) || op->use_empty() || !hasDataBorder(op))
      continue;
    Operation *join = getFirstDependent(op);
    // Something independent must be there to run meanwhile.
    if (llvm::any_of(
            ArrayRef(candidates).drop_front(i + 1),
            [&](Operation *later) { return later->isBeforeInBlock(join); }))
      fork(op, join);
  }
}

void CallForker::run() {
  if (parkingFunctions.empty())
    return;
  SmallVector<MapOp> maps;
  module.walk([&](MapOp map) {
    if (mayPark(map) && hasDataBorder(map))
      maps.push_back(map);
  });
  for (MapOp map : maps)
    forkMap(map);
  SmallVector<Block *> blocks;
  for (auto func : module.getOps<func::FuncOp>())
    func.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    forkOps(*block);
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
