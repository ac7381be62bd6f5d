//===- InitAll.cpp - Everything a tool registers -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/InitAll.h"
#include "dynbatch/Conversion/KernelToCPU.h"
#include "dynbatch/Conversion/Passes.h"
#include "dynbatch/Interfaces/BatchableOpInterface.h"
#include "dynbatch/Transforms/Passes.h"

using namespace mlir;

void mlir::dynbatch::registerAllDialects(DialectRegistry &registry) {
  registry.insert<DynbatchDialect>();
  registerBatchableOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
}

void mlir::dynbatch::registerAllPasses(const PipelineHooks &hooks) {
  registerPipelines(hooks);
  registerDynbatchGpuToCudaPasses();
  registerDynbatchGpuToSimtPasses();
  registerDynbatchHostPasses();
  registerDynbatchKernelToCPUPasses();
  registerDynbatchKernelToGPUPasses();
  registerDynbatchTransformsPasses();
}
