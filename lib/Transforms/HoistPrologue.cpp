//===- HoistPrologue.cpp - Work on parameters alone moves to load time -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Analysis/SharingAnalysis.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_HOISTPROLOGUE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// Collects derived parameters and builds the function that computes them.
class PrologueBuilder {
public:
  PrologueBuilder(ModuleOp module, DataFlowSolver &solver)
      : module(module), solver(solver), symbols(module) {}

  /// Whether `value` is made by an op that the prologue can run.
  bool canHoist(Value value);
  /// Makes `value` a derived parameter and replaces its uses.
  void hoist(Value value);
  /// Merges equal expressions; returns how many derived parameters remain.
  int64_t finish();

private:
  /// The parameter that the expression of `value` reaches first, or null.
  FlatSymbolRefAttr findParameter(Value value);
  Value cloneInto(Value value);
  func::FuncOp getPrologue();

  ModuleOp module;
  DataFlowSolver &solver;
  SymbolTable symbols;
  func::FuncOp prologue;
  IRMapping mapping;
  SmallVector<std::pair<DefineOp, ml_program::GlobalOp>> derived;
};
} // namespace

bool PrologueBuilder::canHoist(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *def = value.getDefiningOp();
  return type && type.hasStaticShape() && def && def->getNumOperands() > 0 &&
         SharingAnalysis::get(solver, value).getKind() ==
             Sharing::Kind::ParameterOnly &&
         findParameter(value);
}

FlatSymbolRefAttr PrologueBuilder::findParameter(Value value) {
  SmallVector<Value> worklist = {value};
  DenseSet<Value> visited;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!visited.insert(next).second)
      continue;
    Sharing sharing = SharingAnalysis::get(solver, next);
    if (sharing.getParameter())
      return sharing.getParameter();
    llvm::append_range(worklist,
                       sharing.getDefinition().getDefiningOp()->getOperands());
  }
  return {};
}

func::FuncOp PrologueBuilder::getPrologue() {
  if (prologue)
    return prologue;
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(DynbatchDialect::kPrologueAttrName))
      return prologue = func;
  OpBuilder builder(module.getContext());
  prologue = func::FuncOp::create(builder, module.getLoc(), "prologue",
                                  builder.getFunctionType({}, {}));
  prologue.setPrivate();
  prologue->setAttr(DynbatchDialect::kPrologueAttrName, builder.getUnitAttr());
  builder.setInsertionPointToStart(prologue.addEntryBlock());
  func::ReturnOp::create(builder, module.getLoc());
  symbols.insert(prologue);
  return prologue;
}

Value PrologueBuilder::cloneInto(Value value) {
  // An explicit stack: expressions may be long.
  SmallVector<Value> stack = {value};
  Operation *end = getPrologue().getBody().front().getTerminator();
  OpBuilder builder(end);
  while (!stack.empty()) {
    Value next = stack.back();
    if (mapping.contains(next)) {
      stack.pop_back();
      continue;
    }
    Sharing sharing = SharingAnalysis::get(solver, next);
    if (FlatSymbolRefAttr name = sharing.getParameter()) {
      mapping.map(next, ml_program::GlobalLoadConstOp::create(
                            builder, next.getLoc(), next.getType(), name));
      continue;
    }
    Value definition = sharing.getDefinition();
    Operation *def = definition.getDefiningOp();
    size_t size = stack.size();
    for (Value operand : def->getOperands())
      if (!mapping.contains(operand))
        stack.push_back(operand);
    if (stack.size() > size)
      continue;
    builder.clone(*def, mapping);
    mapping.map(next, mapping.lookup(definition));
  }
  return mapping.lookup(value);
}

void PrologueBuilder::hoist(Value value) {
  Operation *def = value.getDefiningOp();
  // Named after the parameter and the op: @W_transpose.
  std::string name = (findParameter(value).getValue() + "_" +
                      def->getName().stripDialect()).str();
  OpBuilder builder(module.getContext());
  auto global = ml_program::GlobalOp::create(
      builder, value.getLoc(), name, value.getType(), /*is_mutable=*/false,
      ml_program::ExternAttr::get(module.getContext(), value.getType()),
      builder.getStringAttr("private"));
  symbols.insert(global, std::next(Block::iterator(getParameters(module).back())));

  Value clone = cloneInto(value);
  builder.setInsertionPoint(getPrologue().getBody().front().getTerminator());
  auto define = DefineOp::create(builder, value.getLoc(), global.getSymName(), clone);
  derived.emplace_back(define, global);

  builder.setInsertionPoint(def);
  Value load = ml_program::GlobalLoadConstOp::create(
      builder, value.getLoc(), value.getType(),
      FlatSymbolRefAttr::get(global.getSymNameAttr()));
  value.replaceAllUsesWith(load);
}

int64_t PrologueBuilder::finish() {
  if (derived.empty())
    return 0;
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(prologue);
  eliminateCommonSubExpressions(rewriter, dominance, prologue);
  DenseMap<Value, ml_program::GlobalOp> first;
  int64_t count = 0;
  for (auto [define, global] : derived) {
    auto [it, inserted] = first.try_emplace(define.getValue(), global);
    count += inserted;
    if (inserted)
      continue;
    (void)SymbolTable::replaceAllSymbolUses(global, it->second.getSymNameAttr(),
                                            module);
    define.erase();
    symbols.erase(global);
  }
  return count;
}

namespace {
struct HoistPrologue : dynbatch::impl::HoistPrologueBase<HoistPrologue> {
  using HoistPrologueBase::HoistPrologueBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    DataFlowSolver solver(DataFlowConfig().setInterprocedural(true));
    dataflow::loadBaselineAnalyses(solver);
    solver.load<SharingAnalysis>();
    if (failed(solver.initializeAndRun(module)))
      return signalPassFailure();

    PrologueBuilder builder(module, solver);
    // What is hoistable and used by something that is not: the last tensors of
    // maximal parameter-only expressions.
    SmallVector<Value> frontier;
    module.walk([&](Operation *op) {
      if (auto func = op->getParentOfType<FunctionOpInterface>();
          !func || func->hasAttr(DynbatchDialect::kPrologueAttrName))
        return;
      for (Value result : op->getResults())
        if (builder.canHoist(result) &&
            llvm::any_of(result.getUsers(), [&](Operation *user) {
              return llvm::none_of(user->getResults(), [&](Value other) {
                return builder.canHoist(other);
              });
            }))
          frontier.push_back(result);
    });
    SmallVector<Operation *> worklist;
    for (Value value : frontier) {
      worklist.push_back(value.getDefiningOp());
      builder.hoist(value);
    }
    // The expressions in their old place are dead now.
    DenseSet<Operation *> erased;
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (erased.contains(op) || !isOpTriviallyDead(op))
        continue;
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          worklist.push_back(def);
      erased.insert(op);
      op->erase();
    }
    numDerived += builder.finish();
  }
};
} // namespace
