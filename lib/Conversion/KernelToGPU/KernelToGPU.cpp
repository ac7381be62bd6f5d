//===- KernelToGPU.cpp - Batched kernels to GPU code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CONVERTKERNELTOGPU
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// Most workgroup memory that the steps of a launch use: several blocks should
/// fit on a multiprocessor.
static constexpr int64_t kWorkgroupBytes = 32768;

/// Softmax and the like become the ops that they are made of.
static LogicalResult decompose(KernelOp kernel) {
  SmallVector<linalg::AggregatedOpInterface> ops(
      kernel.getBody().getOps<linalg::AggregatedOpInterface>());
  IRRewriter rewriter(kernel.getContext());
  for (linalg::AggregatedOpInterface op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return op->emitOpError(
          "cannot be lowered for a GPU: it has no decomposition");
    rewriter.replaceOp(op, *results);
  }
  return success();
}

/// Parameters are what a kernel may load.
static LogicalResult verifyLoads(KernelOp kernel) {
  SmallVector<ml_program::GlobalOp> parameters =
      getParameters(kernel->getParentOfType<ModuleOp>());
  for (auto load : kernel.getBody().getOps<ml_program::GlobalLoadConstOp>()) {
    StringAttr name = load.getGlobal().getLeafReference();
    if (!llvm::any_of(parameters, [&](ml_program::GlobalOp global) {
          return global.getSymNameAttr() == name;
        }))
      return load.emitOpError()
             << "loads '" << name.getValue() << "', which is not a parameter";
  }
  return success();
}

namespace {
struct ConvertKernelToGPU
    : dynbatch::impl::ConvertKernelToGPUBase<ConvertKernelToGPU> {
  using ConvertKernelToGPUBase::ConvertKernelToGPUBase;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  LogicalResult convert(KernelOp kernel);
  /// The module that the device functions are in.
  gpu::GPUModuleOp getDeviceModule();

  gpu::GPUModuleOp deviceModule;
};
} // namespace

LogicalResult ConvertKernelToGPU::initialize(MLIRContext *context) {
  auto check = [&](StringRef name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most &&
        (value == 0 || llvm::isPowerOf2_64(value)))
      return success();
    return LogicalResult(emitError(UnknownLoc::get(context))
                         << "convert-dynbatch-kernel-to-gpu: " << name
                         << " must be a power of two from "
                         << std::max<int64_t>(least, 1) << " to " << most
                         << ", but is " << value);
  };
  if (failed(check("tile-rows", tileRows, 0, 64)) ||
      failed(check("tile-columns", tileColumns, 0, 64)) ||
      failed(check("tile-depth", tileDepth, 0, 64)) ||
      failed(check("threads", threads, 32, 1024)))
    return failure();
  return success();
}

gpu::GPUModuleOp ConvertKernelToGPU::getDeviceModule() {
  if (!deviceModule) {
    ModuleOp module = getOperation();
    OpBuilder builder(module.getContext());
    deviceModule =
        gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    SymbolTable(module).insert(deviceModule, module.getBody()->end());
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
  }
  return deviceModule;
}

LogicalResult ConvertKernelToGPU::convert(KernelOp kernel) {
  if (failed(decompose(kernel)) || failed(verifyLoads(kernel)))
    return failure();
  KernelPlan plan(kernel);
  if (failed(plan.run({threads, kWorkgroupBytes})))
    return failure();

  OpBuilder builder(kernel.getContext());
  Location loc = kernel.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(builder.getContext());
  auto host = func::FuncOp::create(
      loc, (kernel.getSymName() + "_launch").str(),
      builder.getFunctionType({ptr, builder.getI64Type(), ptr, ptr}, {}));
  host.setPrivate();
  SymbolTable(kernel->getParentOp())
      .insert(host, std::next(Block::iterator(kernel)));
  builder.setInsertionPointToStart(host.addEntryBlock());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           host.getArgument(1));
  auto times = [&](Value value, int64_t factor) -> Value {
    if (factor == 1)
      return value;
    return arith::MulIOp::create(
        builder, loc, value,
        arith::ConstantIndexOp::create(builder, loc, factor));
  };
  for (auto [index, launch] : llvm::enumerate(plan.getLaunches())) {
    if (plan.isEmpty(launch))
      continue;
    gpu::GPUFuncOp func;
    Grid grid;
    if (launch.contraction) {
      ContractionEmitter emitter(kernel, plan, index, getDeviceModule(),
                                 {tileRows, tileColumns, tileDepth, allowTf32});
      grid = emitter.emit();
      func = emitter.getFunction();
      ++numContractions;
    } else {
      StepsEmitter emitter(kernel, plan, index, getDeviceModule());
      grid = emitter.emit(threads);
      func = emitter.getFunction();
    }
    ++numLaunches;
    Value blocks = times(count, grid.unitsOfTask);
    if (grid.unitsOfBlock != 1)
      blocks = arith::CeilDivUIOp::create(
          builder, loc, blocks,
          arith::ConstantIndexOp::create(builder, loc, grid.unitsOfBlock));
    blocks = times(blocks, grid.blocksOfUnits);
    Value size = arith::ConstantIndexOp::create(
        builder, loc, func.getKnownBlockSize()->front());
    gpu::LaunchFuncOp::create(
        builder, loc, func, gpu::KernelDim3{blocks, one, one},
        gpu::KernelDim3{size, one, one},
        /*dynamicSharedMemorySize=*/Value(), host.getArguments());
  }
  func::ReturnOp::create(builder, loc);
  numFused += plan.getNumFused();

  kernel.getBody().getBlocks().clear();
  kernel.setImplementation(host.getSymName());
  kernel.setScratchBytes(0);
  kernel.setRowScratchBytes(plan.getRowScratchBytes());
  return success();
}

void ConvertKernelToGPU::runOnOperation() {
  deviceModule = nullptr;
  SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
  for (KernelOp kernel : kernels) {
    if (kernel.isExternal())
      continue;
    if (!kernel.isBatched()) {
      kernel.emitOpError("is not batched: run dynbatch-batch-kernels first");
      return signalPassFailure();
    }
    if (failed(convert(kernel)))
      return signalPassFailure();
  }
}
