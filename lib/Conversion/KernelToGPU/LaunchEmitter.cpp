//===- LaunchEmitter.cpp - Device functions of launches -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Of workgroup memory: enough for the widest accesses.
static constexpr int64_t kAlignment = 16;

gpu::GPUFuncOp LaunchEmitter::createFunction(KernelOp kernel, unsigned index,
                                             gpu::GPUModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Type i64 = builder.getI64Type();
  auto func =
      gpu::GPUFuncOp::create(builder, kernel.getLoc(),
                             (kernel.getSymName() + "_" + Twine(index)).str(),
                             builder.getFunctionType({ptr, i64, ptr, ptr}, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  return func;
}

LaunchEmitter::LaunchEmitter(KernelOp kernel, const KernelPlan &plan,
                             unsigned index, gpu::GPUModuleOp module)
    : kernel(kernel), plan(plan), launch(plan.getLaunches()[index]),
      loc(kernel.getLoc()), builder(kernel.getContext()),
      func(createFunction(kernel, index, module)), memory(kernel, func),
      elements(kernel, builder, memory) {
  builder.setInsertionPointToEnd(&func.getBody().front());
  elements.setStored([this, index](Value value) {
    return this->plan.isStoredBefore(value, index)
               ? getGlobal(value)
               : ElementEmitter::GetBuffer();
  });
}

Value LaunchEmitter::addWorkgroup(ArrayRef<int64_t> shape, Type type) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  Value buffer = func.addWorkgroupAttribution(
      MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space), loc);
  func.setWorkgroupAttributionAttr(func.getNumWorkgroupAttributions() - 1,
                                   LLVM::LLVMDialect::getAlignAttrName(),
                                   builder.getI64IntegerAttr(kAlignment));
  return buffer;
}

ElementEmitter::GetBuffer LaunchEmitter::getGlobal(Value value) {
  const Storage *storage = plan.getStorage(value);
  auto type = cast<RankedTensorType>(value.getType());
  return [this, storage, type](Positions &at) {
    if (storage->scratch)
      return memory.getScratch(*storage->scratch, type);
    Value buffer =
        memory.getResult(builder, storage->results.front(), at.front());
    at.erase(at.begin());
    return buffer;
  };
}

void LaunchEmitter::storeGlobal(Value value, ArrayRef<Position> at,
                                ArrayRef<Value> values) {
  const Storage *storage = plan.getStorage(value);
  Location loc = value.getLoc();
  if (storage->scratch)
    elements.store(loc,
                   memory.getScratch(*storage->scratch,
                                     cast<RankedTensorType>(value.getType())),
                   at, values);
  for (unsigned result : storage->results)
    elements.store(loc, memory.getResult(builder, result, at.front()),
                   at.drop_front(), values);
}

void LaunchEmitter::finish(int64_t threads, int64_t minThreads) {
  gpu::ReturnOp::create(builder, loc);
  func.setKnownBlockSize(
      ArrayRef<int32_t>{static_cast<int32_t>(threads), 1, 1});
  // Registers are for so many threads that their accesses hide one another. A
  // thread of a small block has more to do.
  if (int64_t blocks = minThreads / threads; blocks > 1 && blocks <= 4)
    func->setDiscardableAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                             builder.getI32IntegerAttr(blocks));
}
