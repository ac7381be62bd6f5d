//===- Reference.cpp - The reference pipeline -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::dynbatch::buildReferencePipeline(OpPassManager &pm,
                                            const PipelineHooks &hooks) {
  if (hooks.referenceStart)
    hooks.referenceStart(pm);
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createConvertDynbatchToSCF());
  pm.addPass(createPassContext());
  ConvertDynbatchToLLVMOptions options;
  options.tensors = TensorLowering::Buffers;
  pm.addPass(createConvertDynbatchToLLVM(options));
  pm.addPass(createCanonicalizerPass());
  buildLowerToLLVMPipeline(pm);
}
