//===- DynbatchToLLVM.cpp - Host data and tasks to the runtime ABI -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostFunctions.h"
#include "Lowering.h"
#include "dynbatch/Conversion/BufferAt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CONVERTDYNBATCHTOLLVM
#include "dynbatch/Conversion/HostPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

HostLowering::HostLowering(ModuleOp module) : runtime(module) {
  for (auto kernel : module.getOps<KernelOp>())
    kernels[kernel.getSymNameAttr()] = kernel;
  for (ml_program::GlobalOp global : getParameters(module))
    parameters[global.getSymNameAttr()] = global;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The tensor stays as it is from now on: a copy, that later ops cannot reuse
/// as their output.
static Value createHandleOfTensor(OpBuilder &builder, Location loc,
                                  Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value copy = bufferization::AllocTensorOp::create(builder, loc, type,
                                                    ValueRange(), tensor);
  Value buffer = bufferization::ToBufferOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
      copy);
  Value index =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value address =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  Value ready = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         builder.getI64IntegerAttr(0));
  return createHandle(builder, loc, address, ready);
}

HostTypeConverter::HostTypeConverter(MLIRContext *context,
                                     TensorLowering tensors) {
  addConversion([](Type type) { return type; });
  addConversion(
      [context](AdtType) { return LLVM::LLVMPointerType::get(context); });
  addConversion(
      [context](SeqType) { return LLVM::LLVMPointerType::get(context); });
  addConversion(
      [context](FiberType) { return LLVM::LLVMPointerType::get(context); });
  addConversion([context](RankedTensorType type) -> Type {
    return type.hasStaticShape() ? getHandleType(context) : Type(type);
  });
  auto cast = [](OpBuilder &builder, Type type, ValueRange inputs,
                 Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  addSourceMaterialization(cast);
  addTargetMaterialization(cast);
  if (tensors == TensorLowering::Handles)
    return;
  // Tried first.
  addSourceMaterialization([](OpBuilder &builder, RankedTensorType type,
                              ValueRange inputs, Location loc) -> Value {
    Value address = getHandleAddress(builder, loc, inputs.front());
    Value buffer = createBufferAt(builder, loc, address, type);
    return bufferization::ToTensorOp::create(builder, loc, type, buffer,
                                             /*restrict=*/true);
  });
  addTargetMaterialization([](OpBuilder &builder, LLVM::LLVMStructType,
                              ValueRange inputs, Location loc) -> Value {
    if (!isa<RankedTensorType>(inputs.front().getType()))
      return {};
    return createHandleOfTensor(builder, loc, inputs.front());
  });
}

static void buildDescriptorGlobal(ModuleOp module, std::string text) {
  text.push_back('\0');
  OpBuilder builder(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
  LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, kDescriptorSymbol,
                         builder.getStringAttr(text));
}

//===----------------------------------------------------------------------===//
// The prologue
//===----------------------------------------------------------------------===//

/// A derived parameter's value goes into the storage that the runtime gave it.
static void lowerDefines(func::FuncOp func, HostLowering &lowering) {
  SmallVector<DefineOp> defines;
  func.walk([&](DefineOp define) { defines.push_back(define); });
  for (DefineOp define : defines) {
    OpBuilder builder(define);
    Value address = lowering.runtime.createParameterAddress(
        builder, define.getLoc(), func.getArgument(0),
        lowering.getParameterIndex(define.getGlobalAttr().getAttr()));
    Value buffer =
        createBufferAt(builder, define.getLoc(), address,
                       cast<RankedTensorType>(define.getValue().getType()));
    auto store = bufferization::MaterializeInDestinationOp::create(
        builder, define.getLoc(), define.getValue(), buffer);
    store.setRestrict(true);
    store.setWritable(true);
    define.erase();
  }
}

/// A tensor that a function returns may be a view of a parameter or of a field.
/// Bufferization takes results of (recursive) calls for memory that the caller
/// may overwrite: give it such memory.
static void copyReturnedTensors(func::FuncOp func) {
  func.walk([](func::ReturnOp op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
        operand.set(bufferization::AllocTensorOp::create(
            builder, op.getLoc(), type, ValueRange(), operand.get()));
  });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertDynbatchToLLVM
    : dynbatch::impl::ConvertDynbatchToLLVMBase<ConvertDynbatchToLLVM> {
  using ConvertDynbatchToLLVMBase::ConvertDynbatchToLLVMBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto fail = [&](const Twine &message) {
      return LogicalResult(emitError(UnknownLoc::get(context))
                           << "convert-dynbatch-to-llvm: " << message);
    };
    if (!device.empty() && device != "cuda")
      return fail("device must be cuda or empty, but is '" + device + "'");
    if (!device.empty() && tensors == TensorLowering::Buffers)
      return fail("host code cannot compute in a device's memory");
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<FunctionOpInterface> found = findEntry(module);
    if (failed(found))
      return signalPassFailure();
    auto entry = dyn_cast<func::FuncOp>(found->getOperation());
    if (!entry) {
      found->emitError("the entry must be a 'func.func'");
      return signalPassFailure();
    }
    bool parks = tensors == TensorLowering::Handles &&
                 module.walk([](ReadOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
    std::string descriptor = buildDescriptor(module, entry, parks, device);
    HostLowering lowering(module);
    SmallVector<func::FuncOp> functions = getHostFunctions(module);
    HostTypeConverter converter(&getContext(), tensors);
    functions.push_back(buildEntry(module, entry, converter, lowering.runtime));
    llvm::append_range(
        functions, buildFiberFunctions(module, converter, lowering.runtime));

    for (func::FuncOp func : functions) {
      bool isPrologue = func->hasAttr(DynbatchDialect::kPrologueAttrName);
      TensorLowering mode = isPrologue ? TensorLowering::Buffers : tensors;
      lowering.isOnDevice = !isPrologue && !device.empty();
      if (isPrologue)
        lowerDefines(func, lowering);
      if (mode == TensorLowering::Buffers)
        copyReturnedTensors(func);
      if (failed(convert(func, mode, lowering)))
        return signalPassFailure();
      replaceTypes(func, mode);
    }
    buildDescriptorGlobal(module, std::move(descriptor));
    for (Operation &op :
         llvm::make_early_inc_range(module.getBody()->getOperations()))
      if (isa<ml_program::GlobalOp, AdtOp>(op))
        op.erase();
  }

  LogicalResult convert(func::FuncOp func, TensorLowering mode,
                        HostLowering &lowering) {
    HostTypeConverter converter(&getContext(), mode);
    RewritePatternSet patterns(&getContext());
    populateDataToLLVMPatterns(converter, patterns, lowering);
    populateTasksToLLVMPatterns(converter, patterns, lowering);
    populateFibersToLLVMPatterns(converter, patterns, lowering);
    ConversionTarget target(getContext());
    target.addIllegalDialect<DynbatchDialect>();
    target.addIllegalOp<ml_program::GlobalLoadConstOp, cf::AssertOp>();
    target.addDynamicallyLegalOp<arith::ConstantOp, tensor::EmptyOp>(
        [&](Operation *op) {
          return mode == TensorLowering::Buffers ||
                 !isa<TensorType>(op->getResult(0).getType());
        });
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return applyPartialConversion(func, target, std::move(patterns));
  }

  /// Control flow and calls hold any type: now that no op looks inside of data
  /// structures any more, their types are replaced in place.
  void replaceTypes(func::FuncOp func, TensorLowering mode) {
    HostTypeConverter converter(&getContext(), mode);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](Type type) -> std::optional<Type> {
      if (isa<AdtType, FiberType, SeqType>(type) ||
          (mode == TensorLowering::Handles && isa<RankedTensorType>(type)))
        return converter.convertType(type);
      return std::nullopt;
    });
    replacer.recursivelyReplaceElementsIn(func, /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    func.walk([](UnrealizedConversionCastOp cast) {
      if (cast.getOperandTypes() == cast.getResultTypes()) {
        cast.replaceAllUsesWith(cast.getOperands());
        cast.erase();
      }
    });
  }
};
} // namespace
