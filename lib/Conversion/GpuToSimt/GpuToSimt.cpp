//===- GpuToSimt.cpp - GPU kernels on the CPU -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuToSimt.h"
#include "dynbatch/Conversion/BufferAt.h"
#include "dynbatch/Conversion/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CONVERTGPUTOSIMT
#include "dynbatch/Conversion/GpuToSimtPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// There is one address space on the host.
static AttrTypeReplacer makeSpaceReplacer() {
  AttrTypeReplacer replacer;
  auto isSpace = [](Attribute space) {
    return isa_and_nonnull<gpu::AddressSpaceAttr, IntegerAttr>(space);
  };
  replacer.addReplacement([=](MemRefType type) -> std::optional<Type> {
    if (!isSpace(type.getMemorySpace()))
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.addReplacement([=](UnrankedMemRefType type) -> std::optional<Type> {
    if (!isSpace(type.getMemorySpace()))
      return std::nullopt;
    return UnrankedMemRefType::get(type.getElementType(), Attribute());
  });
  replacer.addReplacement([](LLVM::LLVMPointerType type) {
    return std::optional<Type>(LLVM::LLVMPointerType::get(type.getContext()));
  });
  return replacer;
}

namespace {
/// A kernel as a host function.
struct Kernel {
  /// Called by the runtime with the thread and the block of arguments.
  func::FuncOp entry;
  /// How the arguments lie in that block.
  LLVM::LLVMStructType arguments;
  int64_t staticBytes;
};

struct ConvertGpuToSimt
    : dynbatch::impl::ConvertGpuToSimtBase<ConvertGpuToSimt> {
  using ConvertGpuToSimtBase::ConvertGpuToSimtBase;

  void runOnOperation() override;

private:
  LogicalResult convertModule(gpu::GPUModuleOp module, SimtCalls &calls);
  LogicalResult moveConstants(gpu::GPUModuleOp module);
  FailureOr<Kernel> convertKernel(gpu::GPUFuncOp func, SimtCalls &calls);
  int64_t placeAttributions(gpu::GPUFuncOp func, func::FuncOp host);
  func::FuncOp buildEntry(func::FuncOp host, LLVM::LLVMStructType arguments);
  LogicalResult convertLaunch(gpu::LaunchFuncOp launch, SimtCalls &calls);

  DenseMap<Attribute, Kernel> kernels; ///< by symbol reference
};
} // namespace

/// Gives the attributions of `func`, arguments of `host`, memory. Returns the
/// size of the block's workgroup memory.
int64_t ConvertGpuToSimt::placeAttributions(gpu::GPUFuncOp func,
                                            func::FuncOp host) {
  Block &body = host.getBody().front();
  Location loc = host.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  // The thread is an argument, too.
  unsigned first = func.getFunctionType().getNumInputs() + 1;
  unsigned numWorkgroup = func.getNumWorkgroupAttributions();
  DataLayout layout = DataLayout::closest(host);
  int64_t bytes = 0;
  for (unsigned i = first; i < body.getNumArguments(); ++i) {
    BlockArgument argument = body.getArgument(i);
    auto type = cast<MemRefType>(argument.getType());
    if (i >= first + numWorkgroup) {
      argument.replaceAllUsesWith(
          memref::AllocaOp::create(builder, loc, type).getResult());
      continue;
    }
    Value start = loadThreadField(builder, loc, body.getArgument(0),
                                  offsetof(dynbatch_simt_thread, workgroup),
                                  builder.getI64Type());
    Value address = arith::AddIOp::create(builder, loc, start,
                                          createI64(builder, loc, bytes));
    argument.replaceAllUsesWith(createBufferAt(builder, loc, address, type));
    bytes += type.getNumElements() * layout.getTypeSize(type.getElementType());
    bytes = llvm::alignTo(bytes, DYNBATCH_TENSOR_ALIGNMENT);
  }
  body.eraseArguments(first, body.getNumArguments() - first);
  return bytes;
}

/// The function that the runtime calls for each thread.
func::FuncOp ConvertGpuToSimt::buildEntry(func::FuncOp host,
                                          LLVM::LLVMStructType arguments) {
  Location loc = host.getLoc();
  OpBuilder builder(host);
  builder.setInsertionPointAfter(host);
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  auto entry =
      func::FuncOp::create(builder, loc, (host.getName() + "_thread").str(),
                           builder.getFunctionType({ptr, ptr}, {}));
  entry.setPrivate();
  Block *body = entry.addEntryBlock();
  builder.setInsertionPointToStart(body);
  SmallVector<Value> values = {body->getArgument(0)};
  Value block =
      LLVM::LoadOp::create(builder, loc, arguments, body->getArgument(1));
  for (auto [i, type] : llvm::enumerate(host.getArgumentTypes().drop_front())) {
    Value value = LLVM::ExtractValueOp::create(builder, loc, block, i);
    if (value.getType() != type)
      value = UnrealizedConversionCastOp::create(builder, loc, type, value)
                  .getResult(0);
    values.push_back(value);
  }
  func::CallOp::create(builder, loc, host, values);
  func::ReturnOp::create(builder, loc);
  return entry;
}

FailureOr<Kernel> ConvertGpuToSimt::convertKernel(gpu::GPUFuncOp func,
                                                  SimtCalls &calls) {
  if (!func.isKernel()) {
    func.emitOpError("is not a kernel: device functions are not supported");
    return failure();
  }
  auto module = func->getParentOfType<gpu::GPUModuleOp>();
  OpBuilder builder(module);
  Location loc = func.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  // What the launch has on the host must be what the kernel gets.
  LLVMTypeConverter converter(&getContext());
  AttrTypeReplacer replacer = makeSpaceReplacer();
  SmallVector<Type> types = {ptr}, fields;
  for (Type type : func.getFunctionType().getInputs()) {
    types.push_back(type);
    fields.push_back(converter.convertType(type));
    if (!fields.back() || replacer.replace(type) != type) {
      func.emitOpError() << "has an argument of type " << type
                         << ", which is not supported";
      return failure();
    }
  }
  auto host = func::FuncOp::create(
      builder, loc, (module.getName() + "_" + func.getName() + "_simt").str(),
      builder.getFunctionType(types, {}));
  host.setPrivate();
  host.getBody().takeBody(func.getBody());
  replacer.recursivelyReplaceElementsIn(host, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  host.getBody().insertArgument(0u, ptr, loc);
  int64_t staticBytes = placeAttributions(func, host);
  if (failed(convertThreadOps(host, calls, staticBytes)) ||
      failed(insertAccessChecks(host, calls)))
    return failure();

  auto arguments = LLVM::LLVMStructType::getLiteral(&getContext(), fields);
  return Kernel{buildEntry(host, arguments), arguments, staticBytes};
}

/// Constants of kernels become constants of the host module.
LogicalResult ConvertGpuToSimt::moveConstants(gpu::GPUModuleOp module) {
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>())) {
    if (!global.getConstant() || global.getType().getMemorySpace())
      return global.emitOpError(
          "is not supported in a 'gpu.module': expected a "
          "constant in the default memory space");
    std::string name = (module.getName() + "_" + global.getSymName()).str();
    auto newName = StringAttr::get(&getContext(), name);
    if (failed(SymbolTable::replaceAllSymbolUses(global, newName, module)))
      return failure();
    global.setSymName(newName);
    global->moveBefore(module);
  }
  return success();
}

LogicalResult ConvertGpuToSimt::convertModule(gpu::GPUModuleOp module,
                                              SimtCalls &calls) {
  if (failed(moveConstants(module)))
    return failure();
  expandKernelOps(module);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto func = dyn_cast<gpu::GPUFuncOp>(op);
    if (!func)
      return op.emitOpError("is not supported in a 'gpu.module': expected "
                            "nothing but kernels and constants");
    FailureOr<Kernel> kernel = convertKernel(func, calls);
    if (failed(kernel))
      return failure();
    kernels[SymbolRefAttr::get(module.getNameAttr(),
                               {FlatSymbolRefAttr::get(func.getNameAttr())})] =
        *kernel;
  }
  module.erase();
  return success();
}

LogicalResult ConvertGpuToSimt::convertLaunch(gpu::LaunchFuncOp launch,
                                              SimtCalls &calls) {
  auto found = kernels.find(launch.getKernel());
  if (found == kernels.end())
    return launch.emitOpError() << "launches " << launch.getKernel()
                                << ", which is not a 'gpu.func' here";
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty() ||
      launch.getAsyncObject() || launch.hasClusterSize())
    return launch.emitOpError(
        "is not supported: expected no clusters and no tokens");
  const Kernel &kernel = found->second;
  Location loc = launch.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(&getContext());

  // Allocated once, though the launch may stand in a loop.
  OpBuilder builder(&getContext());
  builder.setInsertionPointToStart(
      &launch->getParentOfType<func::FuncOp>().getBody().front());
  Value block = LLVM::AllocaOp::create(builder, loc, ptr, kernel.arguments,
                                       createI64(builder, loc, 1));
  builder.setInsertionPoint(launch);
  Value arguments = LLVM::PoisonOp::create(builder, loc, kernel.arguments);
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands())) {
    Value value = operand;
    Type type = kernel.arguments.getBody()[i];
    if (value.getType() != type)
      value = UnrealizedConversionCastOp::create(builder, loc, type, value)
                  .getResult(0);
    arguments = LLVM::InsertValueOp::create(builder, loc, arguments, value, i);
  }
  LLVM::StoreOp::create(builder, loc, arguments, block);

  func::FuncOp entry = kernel.entry;
  Value function = func::ConstantOp::create(
      builder, loc, entry.getFunctionType(), entry.getName());
  Value pointer =
      UnrealizedConversionCastOp::create(builder, loc, ptr, function)
          .getResult(0);
  SmallVector<Value> operands = {
      calls.createString(builder, loc, launch.getKernelName().getValue()),
      pointer, block};
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 threads = launch.getBlockSizeOperandValues();
  auto addSize = [&](Value size) {
    Type type = size.getType();
    if (type.isIndex())
      size = toI64(builder, loc, size);
    else if (!type.isInteger(64))
      size = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), size);
    operands.push_back(size);
  };
  for (Value size : {grid.x, grid.y, grid.z, threads.x, threads.y, threads.z})
    addSize(size);
  operands.push_back(createI64(builder, loc, kernel.staticBytes));
  if (Value bytes = launch.getDynamicSharedMemorySize())
    addSize(bytes);
  else
    operands.push_back(createI64(builder, loc, 0));
  calls.createLaunch(builder, loc, operands);
  launch.erase();
  return success();
}

void ConvertGpuToSimt::runOnOperation() {
  ModuleOp module = getOperation();
  SimtCalls calls(module);
  kernels.clear();
  for (auto gpuModule :
       llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
    if (failed(convertModule(gpuModule, calls)))
      return signalPassFailure();

  WalkResult result = module.walk([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      return WalkResult(convertLaunch(launch, calls));
    if (isa_and_nonnull<gpu::GPUDialect, nvgpu::NVGPUDialect,
                        NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult(op->emitOpError("is not supported on the SIMT target"));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
}
