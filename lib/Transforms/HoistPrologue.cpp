//===- HoistPrologue.cpp - Work on parameters alone moves to load time -*- C++
//-*-===//
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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_HOISTPROLOGUE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// What `op` depends on: its operands and the values that its regions capture.
static SetVector<Value> getInputs(Operation *op) {
  SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs;
}

//===----------------------------------------------------------------------===//
// Parameter expressions
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  Operation *def = value.getDefiningOp();
  return def && def->getNumOperands() == 0 &&
         (isa<tensor::EmptyOp>(def) || def->hasTrait<OpTrait::ConstantLike>());
}

namespace {
/// Which values the prologue can compute, and from which parameters.
class ParameterExpressions {
public:
  ParameterExpressions(DataFlowSolver &solver, bool constants)
      : solver(solver), constants(constants) {}

  /// The parameter or the op result that `value` is, perhaps through calls and
  /// branches.
  Sharing getSource(Value value) {
    // The analysis does not reach dead code, which is lowered all the same.
    if (isConstant(value))
      return Sharing::parameterOnly(value);
    return SharingAnalysis::get(solver, value);
  }
  /// Whether ops that are safe to run at load time compute `value`.
  bool canCompute(Value value) { return analyze(value).canCompute; }
  /// The first parameter in the expression of `value`; null in a constant one.
  FlatSymbolRefAttr getParameter(Value value) {
    return analyze(value).parameter;
  }
  /// Whether `value`, an op's result, can become a derived parameter.
  bool canDerive(Value value);

private:
  struct Expression {
    bool canCompute = false;
    FlatSymbolRefAttr parameter;
  };
  Expression analyze(Value value);

  DataFlowSolver &solver;
  /// Whether constants of host code become derived parameters, too.
  const bool constants;
  DenseMap<Value, Expression> expressions;
};
} // namespace

/// Why the prologue must not run `op`, which the program perhaps never runs;
/// empty if it may: it cannot fail, and works on tensors and scalars alone.
static StringRef getObstacleAtLoad(Operation *op) {
  auto isData = [](Type type) { return isTaskOperandType(type); };
  if (!isMemoryEffectFree(op))
    return "it has side effects";
  if (!isPure(op))
    return "it can fail, and the program may never run it";
  if (isa<DynbatchDialect>(op->getDialect()))
    return "it belongs to host code";
  if (!llvm::all_of(op->getOperandTypes(), isData) ||
      !llvm::all_of(op->getResultTypes(), isData))
    return "it works on more than tensors of static shape and scalars";
  return "";
}

ParameterExpressions::Expression ParameterExpressions::analyze(Value value) {
  // An explicit stack: expressions may be long.
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value next = stack.back();
    if (expressions.contains(next)) {
      stack.pop_back();
      continue;
    }
    Sharing source = getSource(next);
    Expression expression;
    if (source.getParameter()) {
      expression = {true, source.getParameter()};
    } else if (source.isShared() &&
               getObstacleAtLoad(source.getDefinition().getDefiningOp())
                   .empty()) {
      SetVector<Value> inputs =
          getInputs(source.getDefinition().getDefiningOp());
      size_t size = stack.size();
      llvm::copy_if(inputs, std::back_inserter(stack),
                    [&](Value input) { return !expressions.contains(input); });
      if (stack.size() > size)
        continue;
      expression.canCompute = true;
      for (Value input : inputs) {
        Expression operand = expressions.lookup(input);
        expression.canCompute &= operand.canCompute;
        if (!expression.parameter)
          expression.parameter = operand.parameter;
      }
    }
    expressions[next] = expression;
    stack.pop_back();
  }
  return expressions.lookup(value);
}

bool ParameterExpressions::canDerive(Value value) {
  if (!isa<RankedTensorType>(value.getType()) ||
      getSource(value).getDefinition() != value || !canCompute(value))
    return false;
  return getParameter(value) ||
         (constants && !value.getDefiningOp()->getParentOfType<KernelOp>());
}

//===----------------------------------------------------------------------===//
// PrologueBuilder
//===----------------------------------------------------------------------===//

namespace {
/// Builds the function that computes derived parameters.
class PrologueBuilder {
public:
  PrologueBuilder(ModuleOp module, ParameterExpressions &expressions)
      : module(module), symbols(module), expressions(expressions) {}

  /// Finds the prologue or makes an empty one.
  LogicalResult initialize();
  /// Adds `values` to the prologue. `names` receives the derived parameter that
  /// holds each; equal ones share it. Returns how many are new.
  int64_t define(ArrayRef<Value> values,
                 SmallVectorImpl<FlatSymbolRefAttr> &names);

private:
  /// Clones the expression of `value`; the result is in `mapping`.
  Value cloneExpression(Value value);
  FlatSymbolRefAttr createGlobal(Value value);

  ModuleOp module;
  SymbolTable symbols;
  ParameterExpressions &expressions;
  func::FuncOp prologue;
  ml_program::GlobalOp lastGlobal;
  OpBuilder builder{module.getContext()};
  IRMapping mapping;
  /// What the prologue knows parameters as: derived ones by their expressions.
  DenseMap<Attribute, Value> defined;
};
} // namespace

LogicalResult PrologueBuilder::initialize() {
  for (auto func : module.getOps<FunctionOpInterface>()) {
    if (!func->hasAttr(DynbatchDialect::kPrologueAttrName))
      continue;
    prologue = dyn_cast<func::FuncOp>(func.getOperation());
    if (!prologue || func.getNumArguments() != 0 || func.getNumResults() != 0 ||
        !llvm::hasSingleElement(func.getFunctionBody()))
      return func.emitOpError("cannot be the prologue: expected a 'func.func' "
                              "of one block, without arguments and results");
  }
  if (!prologue) {
    prologue = func::FuncOp::create(builder, module.getLoc(), "prologue",
                                    builder.getFunctionType({}, {}));
    prologue.setPrivate();
    prologue->setAttr(DynbatchDialect::kPrologueAttrName,
                      builder.getUnitAttr());
    builder.setInsertionPointToStart(prologue.addEntryBlock());
    func::ReturnOp::create(builder, module.getLoc());
    symbols.insert(prologue);
  }
  builder.setInsertionPoint(prologue.getBody().front().getTerminator());
  for (auto define : prologue.getOps<DefineOp>())
    defined[define.getGlobalAttr()] = define.getValue();
  for (auto global : module.getOps<ml_program::GlobalOp>())
    lastGlobal = global;
  return success();
}

Value PrologueBuilder::cloneExpression(Value value) {
  // An explicit stack: expressions may be long.
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value next = stack.back();
    if (mapping.contains(next)) {
      stack.pop_back();
      continue;
    }
    Sharing source = expressions.getSource(next);
    if (FlatSymbolRefAttr name = source.getParameter()) {
      Value &parameter = defined[name];
      if (!parameter)
        parameter = ml_program::GlobalLoadConstOp::create(
            builder, next.getLoc(), next.getType(), name);
      mapping.map(next, parameter);
      continue;
    }
    Value definition = source.getDefinition();
    if (!mapping.contains(definition)) {
      Operation *def = definition.getDefiningOp();
      size_t size = stack.size();
      llvm::copy_if(getInputs(def), std::back_inserter(stack),
                    [&](Value input) { return !mapping.contains(input); });
      if (stack.size() > size)
        continue;
      builder.clone(*def, mapping);
    }
    mapping.map(next, mapping.lookup(definition));
  }
  return mapping.lookup(value);
}

FlatSymbolRefAttr PrologueBuilder::createGlobal(Value value) {
  // Named after the parameter, if there is one, and the op: @W_transpose.
  std::string name = value.getDefiningOp()->getName().stripDialect().str();
  if (FlatSymbolRefAttr parameter = expressions.getParameter(value))
    name = (parameter.getValue() + "_" + name).str();
  OpBuilder detached(module.getContext());
  auto global = ml_program::GlobalOp::create(
      detached, value.getLoc(), name, value.getType(), /*is_mutable=*/false,
      ml_program::ExternAttr::get(module.getContext(), value.getType()),
      detached.getStringAttr("private"));
  // Behind the parameters: their order is the program's interface.
  symbols.insert(global, lastGlobal ? std::next(Block::iterator(lastGlobal))
                                    : module.getBody()->begin());
  lastGlobal = global;
  return FlatSymbolRefAttr::get(global.getSymNameAttr());
}

int64_t PrologueBuilder::define(ArrayRef<Value> values,
                                SmallVectorImpl<FlatSymbolRefAttr> &names) {
  // Without a name until equal expressions are merged.
  auto unnamed = FlatSymbolRefAttr::get(module.getContext(), "");
  SmallVector<DefineOp> defines;
  for (Value value : values)
    defines.push_back(DefineOp::create(builder, value.getLoc(), unnamed,
                                       cloneExpression(value)));
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(prologue);
  eliminateCommonSubExpressions(rewriter, dominance, prologue);

  DenseMap<Value, FlatSymbolRefAttr> holders;
  for (auto define : prologue.getOps<DefineOp>())
    if (define.getGlobalAttr() != unnamed)
      holders.try_emplace(define.getValue(), define.getGlobalAttr());
  int64_t count = 0;
  for (auto [value, define] : llvm::zip_equal(values, defines)) {
    FlatSymbolRefAttr &name = holders[define.getValue()];
    names.push_back(name);
    if (name) {
      rewriter.eraseOp(define);
      continue;
    }
    name = names.back() = createGlobal(value);
    define.setGlobalAttr(name);
    ++count;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// The last tensors of maximal parameter expressions: those with a user that is
/// not part of such an expression itself.
static SmallVector<Value> findFrontier(ModuleOp module,
                                       ParameterExpressions &expressions) {
  auto canDerive = [&](Value value) { return expressions.canDerive(value); };
  // Also a user inside of an op's region belongs to the op's expression.
  auto isPart = [&](Operation *user) {
    for (; user; user = user->getParentOp())
      if (user->getNumResults() > 0 &&
          llvm::all_of(user->getResults(), canDerive))
        return true;
    return false;
  };
  SmallVector<Value> frontier;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(DynbatchDialect::kPrologueAttrName))
      return WalkResult::skip();
    for (Value result : op->getResults())
      if (canDerive(result) && !llvm::all_of(result.getUsers(), isPart))
        frontier.push_back(result);
    return WalkResult::advance();
  });
  return frontier;
}

/// Remarks on ops that depend on parameters alone and stay all the same.
static void remarkOnMissed(ModuleOp module, ParameterExpressions &expressions) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(DynbatchDialect::kPrologueAttrName))
      return WalkResult::skip();
    if (isa<CallOpInterface, RegionBranchOpInterface>(op) ||
        !llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return WalkResult::advance();
    SetVector<Value> inputs = getInputs(op);
    StringRef obstacle = getObstacleAtLoad(op);
    if (!obstacle.empty() &&
        llvm::any_of(inputs,
                     [&](Value input) {
                       return bool(expressions.getParameter(input));
                     }) &&
        llvm::all_of(
            inputs, [&](Value input) { return expressions.canCompute(input); }))
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("hoist-prologue").category("dynbatch"))
          << ("'" + op->getName().getStringRef() +
              "' depends on parameters alone but is not hoisted: " + obstacle)
                 .str();
    return WalkResult::advance();
  });
}

/// Erases `ops` and what only they used, as far as it is dead.
static void eraseDeadOps(SmallVector<Operation *> worklist) {
  DenseSet<Operation *> erased;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (erased.contains(op) || !isOpTriviallyDead(op))
      continue;
    for (Value input : getInputs(op))
      if (Operation *def = input.getDefiningOp())
        worklist.push_back(def);
    erased.insert(op);
    op->erase();
  }
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

    ParameterExpressions expressions(solver, constants);
    if (getContext().getRemarkEngine())
      remarkOnMissed(module, expressions);
    SmallVector<Value> frontier = findFrontier(module, expressions);
    if (frontier.empty())
      return markAllAnalysesPreserved();
    PrologueBuilder prologue(module, expressions);
    if (failed(prologue.initialize()))
      return signalPassFailure();
    SmallVector<FlatSymbolRefAttr> names;
    numDerived += prologue.define(frontier, names);

    // The solver's results end here: values change.
    SmallVector<Operation *> replaced;
    for (auto [value, name] : llvm::zip_equal(frontier, names)) {
      Operation *def = value.getDefiningOp();
      OpBuilder builder(def);
      Value load = ml_program::GlobalLoadConstOp::create(
          builder, value.getLoc(), value.getType(), name);
      value.replaceAllUsesWith(load);
      replaced.push_back(def);
    }
    eraseDeadOps(std::move(replaced));
  }
};
} // namespace
