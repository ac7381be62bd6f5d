//===- GluPlugin.cpp - The dialect inside of mlir-opt -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Glu/Glu.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "glu", "0.1",
          [](DialectRegistry *registry) { glu::registerDialect(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "glu", "0.1", [] {
        glu::registerPasses();
        PassPipelineRegistration<dynbatch::PipelineOptions>(
            "glu-pipeline", "dynbatch-pipeline for programs with glu.gate",
            [](OpPassManager &pm, const dynbatch::PipelineOptions &options) {
              dynbatch::buildPipeline(pm, options, glu::getPipelineHooks());
            });
      }};
}
