//===- Pipeline.cpp - The batching pipeline -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Pipelines/Pipelines.h"
#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Program passes: instance program to scheduled kernels.
static void addProgramPasses(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createNormalize());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.prologue)
    pm.addPass(createHoistPrologue());
  FormBlocksOptions formBlocks;
  formBlocks.coarsen = options.coarsen;
  pm.addPass(createFormBlocks(formBlocks));
  OutlineKernelsOptions outline;
  outline.merge = options.mergeKernels;
  pm.addPass(createOutlineKernels(outline));
  pm.addPass(createSchedule());
  pm.addPass(createCSEPass());
}

void mlir::dynbatch::buildPipeline(OpPassManager &pm,
                                   const PipelineOptions &options) {
  addProgramPasses(pm, options);
  pm.addPass(createConvertDynbatchToSCF());
  pm.addPass(createPassContext());
  pm.addPass(createConvertDynbatchToLLVM());
  buildLowerToLLVMPipeline(pm);
}

void mlir::dynbatch::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "dynbatch-pipeline",
      "Compile an instance program to batched kernels on the CPU",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPipeline(pm, options);
      });
  PassPipelineRegistration<>(
      "dynbatch-reference-pipeline",
      "Compile an instance program to run each instance on its own",
      [](OpPassManager &pm) { buildReferencePipeline(pm); });
}
