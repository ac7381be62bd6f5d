//===- ExportModule.cpp - The table that the runtime loads -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "dynbatch/Runtime/ABI.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_EXPORTMODULE
#include "dynbatch/Conversion/HostPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// Builds the initializer of a global that holds addresses.
class TableBuilder {
public:
  TableBuilder(ModuleOp module, LLVM::GlobalOp global)
      : builder(module.getContext()), loc(global.getLoc()) {
    builder.createBlock(&global.getInitializerRegion());
    table = LLVM::PoisonOp::create(builder, loc, global.getType());
  }
  void add(Value value) {
    table = LLVM::InsertValueOp::create(builder, loc, table, value, position++);
  }
  void addInteger(int64_t value) {
    add(LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                 builder.getI32IntegerAttr(value)));
  }
  /// The address of `symbol`, or null if there is none.
  void addSymbol(StringRef symbol) {
    Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
    add(symbol.empty()
            ? LLVM::ZeroOp::create(builder, loc, ptr).getResult()
            : LLVM::AddressOfOp::create(builder, loc, ptr, symbol).getResult());
  }
  void finish() { LLVM::ReturnOp::create(builder, loc, table); }

private:
  OpBuilder builder;
  Location loc;
  Value table;
  int64_t position = 0;
};

struct ExportModule : dynbatch::impl::ExportModuleBase<ExportModule> {
  using ExportModuleBase::ExportModuleBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (StringRef name : {kEntrySymbol, kDescriptorSymbol})
      if (!symbols.lookup(name)) {
        module.emitError() << "no symbol '" << name
                           << "': run convert-dynbatch-to-llvm first";
        return signalPassFailure();
      }

    SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (!kernel.getImplementation()) {
        kernel.emitOpError(
            "has no implementation: lower kernels for a target first");
        return signalPassFailure();
      }
    StringRef prologue;
    for (auto func : module.getOps<LLVM::LLVMFuncOp>()) {
      if (func->removeAttr(DynbatchDialect::kPrologueAttrName))
        prologue = func.getName();
      func->removeAttr(DynbatchDialect::kEntryAttrName);
      if (!func.isExternal())
        func.setLinkage(LLVM::Linkage::Internal);
    }

    OpBuilder builder(module.getBodyRegion());
    builder.setInsertionPointToEnd(module.getBody());
    Location loc = module.getLoc();
    Type ptr = LLVM::LLVMPointerType::get(&getContext());
    auto kernelTable = LLVM::GlobalOp::create(
        builder, loc, LLVM::LLVMArrayType::get(ptr, kernels.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, "dynbatch_kernels",
        Attribute());
    TableBuilder kernelBuilder(module, kernelTable);
    for (KernelOp kernel : kernels)
      kernelBuilder.addSymbol(*kernel.getImplementation());
    kernelBuilder.finish();

    // The layout of struct dynbatch_module.
    Type i32 = builder.getI32Type();
    auto moduleTable = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMStructType::getLiteral(&getContext(),
                                         {i32, i32, ptr, ptr, ptr, ptr}),
        /*isConstant=*/true, LLVM::Linkage::External, kModuleSymbol,
        Attribute());
    TableBuilder moduleBuilder(module, moduleTable);
    moduleBuilder.addInteger(DYNBATCH_ABI_VERSION);
    moduleBuilder.addInteger(kernels.size());
    moduleBuilder.addSymbol(kDescriptorSymbol);
    moduleBuilder.addSymbol(kEntrySymbol);
    moduleBuilder.addSymbol(prologue);
    moduleBuilder.addSymbol(kernelTable.getSymName());
    moduleBuilder.finish();

    for (KernelOp kernel : kernels)
      kernel.erase();
  }
};
} // namespace
