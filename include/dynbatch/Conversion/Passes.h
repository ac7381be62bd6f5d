//===- Passes.h - Lowering of host code and kernels -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_PASSES_H
#define DYNBATCH_CONVERSION_PASSES_H

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Pass/Pass.h"

namespace mlir::dynbatch {

/// What host functions do with tensors, see convert-dynbatch-to-llvm.
enum class TensorLowering { Handles, Buffers };

#define GEN_PASS_DECL
#include "dynbatch/Conversion/GpuToCudaPasses.h.inc"
#define GEN_PASS_DECL
#include "dynbatch/Conversion/GpuToSimtPasses.h.inc"
#define GEN_PASS_DECL
#include "dynbatch/Conversion/HostPasses.h.inc"
#define GEN_PASS_DECL
#include "dynbatch/Conversion/KernelToCPUPasses.h.inc"
#define GEN_PASS_DECL
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "dynbatch/Conversion/GpuToCudaPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "dynbatch/Conversion/GpuToSimtPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "dynbatch/Conversion/HostPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "dynbatch/Conversion/KernelToCPUPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"

} // namespace mlir::dynbatch

#endif // DYNBATCH_CONVERSION_PASSES_H
