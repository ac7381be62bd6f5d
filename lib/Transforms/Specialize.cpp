//===- Specialize.cpp - Functions cloned for their parameters -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_SPECIALIZE
#include "dynbatch/Transforms/Passes.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// For each argument the parameter that it always is, or null.
using Context = SmallVector<FlatSymbolRefAttr>;

namespace {
class Specializer {
public:
  Specializer(ModuleOp module, unsigned maxContexts)
      : module(module), symbols(module), maxContexts(maxContexts) {}

  void run();

  int64_t numClones = 0, numBounded = 0;

private:
  /// A function of the source program in all contexts met so far.
  struct Versions {
    /// The body as it was, before calls in it were redirected.
    OwningOpRef<func::FuncOp> source;
    llvm::MapVector<Attribute, func::FuncOp> byContext;
  };

  /// The version of `func` for `context`; made and queued on first use.
  func::FuncOp getVersion(func::FuncOp func, Context context);
  void redirectCalls(func::FuncOp version, const Context &context);
  Attribute getKey(const Context &context) {
    Builder builder(module.getContext());
    return builder.getArrayAttr(
        llvm::map_to_vector(context, [&](FlatSymbolRefAttr name) -> Attribute {
          return name ? Attribute(name) : builder.getUnitAttr();
        }));
  }

  ModuleOp module;
  SymbolTable symbols;
  unsigned maxContexts;
  DenseMap<func::FuncOp, Versions> versions;
  /// Functions whose calls are to be redirected, with the original they are a
  /// version of.
  SmallVector<std::pair<func::FuncOp, Context>> worklist;
};
} // namespace

/// The parameter that `value` is in a function that runs in `context`.
static FlatSymbolRefAttr getParameter(Value value, func::FuncOp func,
                                      const Context &context) {
  if (auto load = value.getDefiningOp<ml_program::GlobalLoadConstOp>())
    return FlatSymbolRefAttr::get(load.getGlobal().getLeafReference());
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == &func.getBody().front())
    return context[argument.getArgNumber()];
  return {};
}

func::FuncOp Specializer::getVersion(func::FuncOp func, Context context) {
  if (maxContexts <= 1)
    context.assign(context.size(), {});
  Versions &all = versions[func];
  auto *it = all.byContext.find(getKey(context));
  if (it != all.byContext.end())
    return it->second;
  Context general(context.size());
  if (all.byContext.size() + 1 > maxContexts && context != general) {
    ++numBounded;
    remark::missed(func.getLoc(), remark::RemarkOpts::name("specialize")
                                      .category("dynbatch")
                                      .function(func.getName()))
        << ("called with more than " + Twine(maxContexts) +
            " combinations of parameters: the others share one version")
               .str();
    return getVersion(func, general);
  }
  func::FuncOp version = func;
  if (all.byContext.empty()) {
    // The first version keeps the name.
    all.source = func.clone();
  } else {
    version = all.source->clone();
    symbols.insert(version, std::next(Block::iterator(func)));
    ++numClones;
  }
  versions[func].byContext[getKey(context)] = version;
  worklist.emplace_back(version, std::move(context));
  return version;
}

void Specializer::redirectCalls(func::FuncOp version, const Context &context) {
  version.walk([&](func::CallOp call) {
    // The clone's calls still name functions of the source program.
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal() || !callee.isPrivate())
      return;
    Context arguments =
        llvm::map_to_vector(call.getOperands(), [&](Value value) {
          return getParameter(value, version, context);
        });
    call.setCallee(getVersion(callee, std::move(arguments)).getName());
  });
}

void Specializer::run() {
  for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (!func.isPrivate() && !func.isExternal())
      getVersion(func, Context(func.getNumArguments()));
  while (!worklist.empty()) {
    auto [version, context] = worklist.pop_back_val();
    redirectCalls(version, context);
  }
  for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (func.isPrivate() && symbols.lookup(func.getName()) &&
        SymbolTable::symbolKnownUseEmpty(func, module))
      symbols.erase(func);
}

namespace {
struct Specialize : dynbatch::impl::SpecializeBase<Specialize> {
  using SpecializeBase::SpecializeBase;

  void runOnOperation() override {
    Specializer specializer(getOperation(), maxContexts);
    specializer.run();
    numClones += specializer.numClones;
    numBounded += specializer.numBounded;
  }
};
} // namespace
