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

static void addHook(OpPassManager &pm, const PipelineOptions &options,
                    const PipelineHooks::Hook &hook) {
  if (hook)
    hook(pm, options);
}

/// Program passes: instance program to scheduled kernels. With `narrowWeights`
/// kernels multiply by parameters of f16 and bf16 as they are.
static void addProgramPasses(OpPassManager &pm, const PipelineOptions &options,
                             const PipelineHooks &hooks, bool narrowWeights) {
  addHook(pm, options, hooks.programStart);
  pm.addPass(createNormalize());
  SpecializeOptions specialize;
  if (!options.specialize)
    specialize.maxContexts = 1;
  pm.addPass(createSpecialize(specialize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (narrowWeights)
    pm.addPass(createFoldWidening());
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
  addHook(pm, options, hooks.kernelsOutlined);
}

/// Kernel passes of all targets: kernels of one task to batched kernels.
static void addBatchingPasses(OpPassManager &pm, const PipelineOptions &options,
                              const PipelineHooks &hooks) {
  OpPassManager &kernels = pm.nest<KernelOp>();
  if (options.fuseHorizontal)
    kernels.addPass(createFuseHorizontal());
  if (options.fuseKernels)
    kernels.addPass(createFuseElementwise());
  kernels.addPass(createBatchKernels());
  addHook(pm, options, hooks.kernelsBatched);
}

void mlir::dynbatch::buildCPUKernelsPipeline(OpPassManager &pm,
                                             const PipelineOptions &options) {
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
                                   const PipelineOptions &options,
                                   const PipelineHooks &hooks) {
  addProgramPasses(pm, options, hooks, options.foldWidening);
  addBatchingPasses(pm, options, hooks);
  if (hooks.implementKernels)
    hooks.implementKernels(pm, options);
  else
    buildCPUKernelsPipeline(pm, options);
  addHook(pm, options, hooks.hostStart);
  buildHostPipeline(pm, options);
}

void mlir::dynbatch::buildGPUKernelsPipeline(OpPassManager &pm,
                                             const PipelineOptions &options,
                                             bool ownMemory,
                                             const PipelineHooks &hooks) {
  // Factors of different types are not multiplied on tensor cores.
  addProgramPasses(pm, options, hooks, /*narrowWeights=*/false);
  addBatchingPasses(pm, options, hooks);
  if (hooks.implementKernels)
    hooks.implementKernels(pm, options);
  else
    addGPUPasses(pm, options, ownMemory);
}

void mlir::dynbatch::buildSimtPipeline(OpPassManager &pm,
                                       const PipelineOptions &options,
                                       const PipelineHooks &hooks) {
  buildGPUKernelsPipeline(pm, options, /*ownMemory=*/false, hooks);
  pm.addPass(createConvertGpuToSimt());
  addHook(pm, options, hooks.hostStart);
  buildHostPipeline(pm, options);
}

void mlir::dynbatch::buildCudaPipeline(OpPassManager &pm,
                                       const CudaPipelineOptions &options,
                                       const PipelineHooks &hooks) {
  buildGPUKernelsPipeline(pm, options, /*ownMemory=*/true, hooks);
  buildGPUToBinaryPipeline(pm, options.chip, options.features, options.format,
                           options.toolkit);
  pm.addPass(createConvertGpuToCuda());
  addHook(pm, options, hooks.hostStart);
  buildHostPipeline(pm, options, "cuda");
}

void mlir::dynbatch::registerPipelines(const PipelineHooks &hooks) {
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-pipeline",
      "Compile an instance program to batched kernels on the CPU",
      [hooks](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options, hooks);
      });
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-simt-pipeline",
      "Compile an instance program to GPU kernels that run on the CPU",
      [hooks](OpPassManager &pm, const PipelineOptions &options) {
        buildSimtPipeline(pm, options, hooks);
      });
  PassPipelineRegistration<CudaPipelineOptions>(
      "dynbatch-cuda-pipeline",
      "Compile an instance program to GPU code and host code that launches it",
      [hooks](OpPassManager &pm, const CudaPipelineOptions &options) {
        buildCudaPipeline(pm, options, hooks);
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
      [hooks](OpPassManager &pm, const PipelineOptions &options) {
        buildGPUKernelsPipeline(pm, options, /*ownMemory=*/true, hooks);
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
      [hooks](OpPassManager &pm) { buildReferencePipeline(pm, hooks); });
}
