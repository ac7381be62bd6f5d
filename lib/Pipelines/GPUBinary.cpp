//===- GPUBinary.cpp - From GPU kernels to PTX and binaries -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::dynbatch::buildGPUToBinaryPipeline(OpPassManager &pm, StringRef chip,
                                              StringRef features,
                                              StringRef format,
                                              StringRef toolkit) {
  OpPassManager &prepare = pm.nest<gpu::GPUModuleOp>();
  prepare.addPass(createExpandGPUMath());
  prepare.addPass(createCanonicalizerPass());
  prepare.addPass(createCSEPass());

  GpuNVVMAttachTargetOptions target;
  target.chip = chip.str();
  target.features = features.str();
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));

  OpPassManager &convert = pm.nest<gpu::GPUModuleOp>();
  convert.addPass(memref::createExpandStridedMetadataPass());
  convert.addPass(createLowerAffinePass());
  convert.addPass(createSCFToControlFlowPass());
  convert.addPass(createPrepareMma());
  convert.addPass(createConvertNVGPUToNVVMPass());
  ConvertGpuOpsToNVVMOpsOptions toNVVM;
  toNVVM.indexBitwidth = 64;
  convert.addPass(createConvertGpuOpsToNVVMOps(toNVVM));
  convert.addPass(createCanonicalizerPass());
  convert.addPass(createCSEPass());
  convert.addPass(createReconcileUnrealizedCastsPass());

  SerializeGPUKernelsOptions serialize;
  serialize.format = format.str();
  serialize.toolkit = toolkit.str();
  pm.addPass(createSerializeGPUKernels(serialize));
}
