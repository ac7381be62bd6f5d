//===- GpuToCuda.cpp - GPU code in host modules -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Conversion/Place.h"
#include "dynbatch/Runtime/ABI.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CONVERTGPUTOCUDA
#include "dynbatch/Conversion/GpuToCudaPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
struct ConvertGpuToCuda
    : dynbatch::impl::ConvertGpuToCudaBase<ConvertGpuToCuda> {
  using ConvertGpuToCudaBase::ConvertGpuToCudaBase;

  void runOnOperation() override;

private:
  /// Makes an image of `binary`, under the same name.
  LogicalResult convertBinary(gpu::BinaryOp binary, SymbolTable &symbols);
  LogicalResult convertLaunch(gpu::LaunchFuncOp launch, SymbolTable &symbols);
  /// The addresses of the launch's arguments, in an array.
  FailureOr<Value> storeArguments(gpu::LaunchFuncOp launch);
  /// The zero-terminated string; equal ones are one constant, since the runtime
  /// knows kernels by the addresses of their names.
  Value createString(OpBuilder &builder, Location loc, StringRef text,
                     SymbolTable &symbols);

  llvm::StringMap<LLVM::GlobalOp> strings;
  DenseMap<StringAttr, LLVM::GlobalOp> images;
};
} // namespace

static Value createI64(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

/// A number of blocks, threads or bytes.
static Value toI64(OpBuilder &builder, Location loc, Value size) {
  Type i64 = builder.getI64Type();
  if (size.getType() == i64)
    return size;
  if (size.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, size);
  return arith::ExtSIOp::create(builder, loc, i64, size);
}

static LLVM::GlobalOp buildBytes(Location loc, StringRef name, StringRef bytes,
                                 int64_t alignment, ModuleOp module,
                                 SymbolTable &symbols) {
  OpBuilder builder(module.getContext());
  auto global = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, name,
      builder.getStringAttr(bytes), alignment);
  symbols.insert(global, module.getBody()->begin());
  return global;
}

Value ConvertGpuToCuda::createString(OpBuilder &builder, Location loc,
                                     StringRef text, SymbolTable &symbols) {
  LLVM::GlobalOp &global = strings[text];
  if (!global)
    global = buildBytes(loc, "dynbatch_gpu_string", (text + Twine('\0')).str(),
                        /*alignment=*/1, getOperation(), symbols);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

static std::optional<int32_t> getFormat(gpu::CompilationTarget format) {
  switch (format) {
  case gpu::CompilationTarget::Assembly:
    return DYNBATCH_GPU_IMAGE_PTX;
  case gpu::CompilationTarget::Binary:
    return DYNBATCH_GPU_IMAGE_CUBIN;
  case gpu::CompilationTarget::Fatbin:
    return DYNBATCH_GPU_IMAGE_FATBIN;
  case gpu::CompilationTarget::Offload:
    return std::nullopt;
  }
  llvm_unreachable("unknown format");
}

LogicalResult ConvertGpuToCuda::convertBinary(gpu::BinaryOp binary,
                                              SymbolTable &symbols) {
  if (binary.getObjects().size() != 1)
    return binary.emitOpError() << "has " << binary.getObjects().size()
                                << " objects: expected one that holds all code";
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  std::optional<int32_t> format = getFormat(object.getFormat());
  if (!format)
    return binary.emitOpError(
        "holds bitcode: expected PTX, a binary or a fat binary");

  ModuleOp module = getOperation();
  Location loc = binary.getLoc();
  StringAttr name = binary.getSymNameAttr();
  symbols.remove(binary);
  // The driver reads words of binaries.
  LLVM::GlobalOp data = buildBytes(loc, (name.getValue() + "_data").str(),
                                   object.getObject().getValue(),
                                   DYNBATCH_TENSOR_ALIGNMENT, module, symbols);
  OpBuilder builder(binary);
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(&getContext(), {i32, i32, ptr, i64});
  auto image =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  symbols.insert(image);
  builder.createBlock(&image.getInitializerRegion());
  Value fields[] = {
      LLVM::ConstantOp::create(builder, loc, i32, DYNBATCH_GPU_IMAGE_VERSION),
      LLVM::ConstantOp::create(builder, loc, i32, *format),
      LLVM::AddressOfOp::create(builder, loc, data),
      LLVM::ConstantOp::create(builder, loc, i64,
                               object.getObject().getValue().size())};
  Value value = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(builder, loc, value, field, i);
  LLVM::ReturnOp::create(builder, loc, value);
  images[name] = image;
  binary.erase();
  return success();
}

FailureOr<Value> ConvertGpuToCuda::storeArguments(gpu::LaunchFuncOp launch) {
  LLVMTypeConverter converter(&getContext());
  SmallVector<Type> fields;
  for (Value operand : launch.getKernelOperands()) {
    Type type = converter.convertType(operand.getType());
    if (!type || !isa<IntegerType, FloatType, LLVM::LLVMPointerType>(type))
      return launch.emitOpError()
             << "has an argument of type " << operand.getType()
             << ": expected an integer, a float or a pointer";
    fields.push_back(type);
  }
  auto function = launch->getParentOfType<FunctionOpInterface>();
  if (!function)
    return launch.emitOpError("is not in a function");
  // Allocated once, though the launch may stand in a loop.
  Location loc = launch.getLoc();
  OpBuilder builder =
      OpBuilder::atBlockBegin(&function.getFunctionBody().front());
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  Value one = createI64(builder, loc, 1);
  auto argumentsType = LLVM::LLVMStructType::getLiteral(&getContext(), fields);
  auto addressesType = LLVM::LLVMArrayType::get(ptr, fields.size());
  Value arguments =
      LLVM::AllocaOp::create(builder, loc, ptr, argumentsType, one);
  Value addresses =
      LLVM::AllocaOp::create(builder, loc, ptr, addressesType, one);

  builder.setInsertionPoint(launch);
  for (auto [i, value] : llvm::enumerate(launch.getKernelOperands())) {
    LLVM::GEPArg indices[] = {0, static_cast<int32_t>(i)};
    Value field = LLVM::GEPOp::create(builder, loc, ptr, argumentsType,
                                      arguments, indices);
    Value stored = value;
    if (stored.getType() != fields[i])
      stored =
          UnrealizedConversionCastOp::create(builder, loc, fields[i], value)
              .getResult(0);
    LLVM::StoreOp::create(builder, loc, stored, field);
    LLVM::StoreOp::create(builder, loc, field,
                          LLVM::GEPOp::create(builder, loc, ptr, addressesType,
                                              addresses, indices));
  }
  return addresses;
}

LogicalResult ConvertGpuToCuda::convertLaunch(gpu::LaunchFuncOp launch,
                                              SymbolTable &symbols) {
  LLVM::GlobalOp image = images.lookup(launch.getKernelModuleName());
  if (!image)
    return launch.emitOpError()
           << "launches " << launch.getKernel()
           << ", which is not compiled: run dynbatch-serialize-gpu-kernels "
              "first";
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty() ||
      launch.getAsyncObject() || launch.hasClusterSize())
    return launch.emitOpError(
        "is not supported: expected no clusters and no tokens");
  FailureOr<Value> addresses = storeArguments(launch);
  if (failed(addresses))
    return failure();

  Location loc = launch.getLoc();
  OpBuilder builder(launch);
  SmallVector<Value> operands = {
      LLVM::AddressOfOp::create(builder, loc, image),
      createString(builder, loc, launch.getKernelName().getValue(), symbols)};
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  for (Value size : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
    operands.push_back(toI64(builder, loc, size));
  Value bytes = launch.getDynamicSharedMemorySize();
  operands.push_back(bytes ? toI64(builder, loc, bytes)
                           : createI64(builder, loc, 0));
  operands.push_back(*addresses);
  operands.push_back(createI64(builder, loc, launch.getNumKernelOperands()));
  operands.push_back(createString(builder, loc, getPlace(loc), symbols));

  constexpr StringLiteral kLaunch = "dynbatch_rt_gpu_launch";
  auto function = symbols.lookup<LLVM::LLVMFuncOp>(kLaunch);
  if (!function) {
    OpBuilder detached(&getContext());
    function = LLVM::LLVMFuncOp::create(
        detached, getOperation().getLoc(), kLaunch,
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(&getContext()),
            llvm::to_vector(ValueRange(operands).getTypes())));
    symbols.insert(function, getOperation().getBody()->begin());
  }
  LLVM::CallOp::create(builder, loc, function, operands);
  launch.erase();
  return success();
}

void ConvertGpuToCuda::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  strings.clear();
  images.clear();
  for (auto binary : llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
    if (failed(convertBinary(binary, symbols)))
      return signalPassFailure();
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
      return failed(convertLaunch(launch, symbols)) ? WalkResult::interrupt()
                                                    : WalkResult::skip();
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult(op->emitOpError(
          "is not compiled: run dynbatch-serialize-gpu-kernels first"));
    if (isa_and_nonnull<gpu::GPUDialect>(op->getDialect()))
      return WalkResult(op->emitOpError("is not supported in host code"));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
}
