//===- Pipeline.cpp - The batching pipeline -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Program passes: instance program to scheduled kernels.
static void addProgramPasses(OpPassManager &pm,
                             const PipelineOptions &options) {
  pm.addPass(createNormalize());
  SpecializeOptions specialize;
  if (!options.specialize)
    specialize.maxContexts = 1;
  pm.addPass(createSpecialize(specialize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.prologue)
    pm.addPass(createHoistPrologue());
  FormBlocksOptions formBlocks;
  formBlocks.coarsen = options.coarsen;
  formBlocks.cutStages = options.cutStages;
  pm.addPass(createFormBlocks(formBlocks));
  OutlineKernelsOptions outline;
  outline.merge = options.mergeKernels;
  pm.addPass(createOutlineKernels(outline));
  ScheduleOptions schedule;
  schedule.stages = options.stages;
  schedule.align = options.align;
  pm.addPass(createSchedule(schedule));
  pm.addPass(createCSEPass());
}

/// Kernel passes of all targets: kernels of one task to batched kernels.
static void addBatchingPasses(OpPassManager &pm,
                              const PipelineOptions &options) {
  OpPassManager &kernels = pm.nest<KernelOp>();
  if (options.fuseHorizontal)
    kernels.addPass(createFuseHorizontal());
  if (options.fuseKernels)
    kernels.addPass(createFuseElementwise());
  kernels.addPass(createBatchKernels());
}

/// Batched kernels to functions for the CPU.
static void addCPUPasses(OpPassManager &pm, const PipelineOptions &options) {
  PackWeightsOptions pack;
  // Two vectors side by side.
  pack.panelWidth = options.vectorBits / 16;
  pm.addNestedPass<KernelOp>(createPackWeights(pack));
  pm.addPass(createHoistPrologue());
  if (options.fuseGathers) {
    FuseGathersOptions tiles;
    tiles.l2Bytes = options.l2Bytes;
    tiles.tileRows = options.tileRows;
    llvm::append_range(tiles.measured, options.measured);
    pm.addNestedPass<KernelOp>(createFuseGathers(tiles));
  }
  pm.addPass(createCanonicalizerPass());
  ConvertKernelToCPUOptions toCPU;
  toCPU.vectorBits = options.vectorBits;
  pm.addPass(createConvertKernelToCPU(toCPU));
}

/// Batched kernels to GPU kernels and functions that launch them.
static void addGPUPasses(OpPassManager &pm, const PipelineOptions &options,
                         bool ownMemory) {
  // The weights of contractions that were fused.
  HoistPrologueOptions hoist;
  hoist.constants = ownMemory;
  pm.addPass(createHoistPrologue(hoist));
  pm.addPass(createCanonicalizerPass());
  ConvertKernelToGPUOptions toGPU;
  toGPU.allowTf32 = options.allowTf32;
  pm.addPass(createConvertKernelToGPU(toGPU));
  pm.addNestedPass<gpu::GPUModuleOp>(createCanonicalizerPass());
  pm.addNestedPass<gpu::GPUModuleOp>(createCSEPass());
}

void mlir::dynbatch::buildHostPipeline(OpPassManager &pm,
                                       const PipelineOptions &options,
                                       StringRef device) {
  if (options.forkCalls)
    pm.addPass(createForkCalls());
  pm.addPass(createConvertDynbatchToSCF());
  pm.addPass(createPassContext());
  ConvertDynbatchToLLVMOptions toLLVM;
  toLLVM.device = device.str();
  pm.addPass(createConvertDynbatchToLLVM(toLLVM));
  buildLowerToLLVMPipeline(pm);
}

void mlir::dynbatch::buildPipeline(OpPassManager &pm,
                                   const PipelineOptions &options) {
  addProgramPasses(pm, options);
  addBatchingPasses(pm, options);
  addCPUPasses(pm, options);
  buildHostPipeline(pm, options);
}

void mlir::dynbatch::buildGPUKernelsPipeline(OpPassManager &pm,
                                             const PipelineOptions &options,
                                             bool ownMemory) {
  addProgramPasses(pm, options);
  addBatchingPasses(pm, options);
  addGPUPasses(pm, options, ownMemory);
}

void mlir::dynbatch::buildSimtPipeline(OpPassManager &pm,
                                       const PipelineOptions &options) {
  buildGPUKernelsPipeline(pm, options, /*ownMemory=*/false);
  pm.addPass(createConvertGpuToSimt());
  buildHostPipeline(pm, options);
}

void mlir::dynbatch::buildCudaPipeline(OpPassManager &pm,
                                       const CudaPipelineOptions &options) {
  buildGPUKernelsPipeline(pm, options);
  buildGPUToBinaryPipeline(pm, options.chip, options.features, options.format,
                           options.toolkit);
  pm.addPass(createConvertGpuToCuda());
  buildHostPipeline(pm, options, "cuda");
}

void mlir::dynbatch::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-pipeline",
      "Compile an instance program to batched kernels on the CPU",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options);
      });
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-simt-pipeline",
      "Compile an instance program to GPU kernels that run on the CPU",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildSimtPipeline(pm, options);
      });
  PassPipelineRegistration<CudaPipelineOptions>(
      "dynbatch-cuda-pipeline",
      "Compile an instance program to GPU code and host code that launches it",
      [](OpPassManager &pm, const CudaPipelineOptions &options) {
        buildCudaPipeline(pm, options);
      });
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-host-pipeline",
      "Compile a program whose kernels are compiled already",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildHostPipeline(pm, options);
      });
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-gpu-kernels",
      "Compile an instance program to GPU kernels and host code around them",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildGPUKernelsPipeline(pm, options);
      });
  PassPipelineRegistration<GPUBinaryOptions>(
      "dynbatch-gpu-to-binary", "Compile GPU kernels to PTX or to binaries",
      [](OpPassManager &pm, const GPUBinaryOptions &options) {
        buildGPUToBinaryPipeline(pm, options.chip, options.features,
                                 options.format, options.toolkit);
      });
  PassPipelineRegistration<>(
      "dynbatch-reference-pipeline",
      "Compile an instance program to run each instance on its own",
      [](OpPassManager &pm) { buildReferencePipeline(pm); });
}
