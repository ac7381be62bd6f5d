//===- Glu.h - Gated linear units -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GLU_GLU_H
#define GLU_GLU_H

#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "Glu/GluDialect.h.inc"

#define GET_OP_CLASSES
#include "Glu/GluOps.h.inc"

namespace glu {
/// The dialect, and what makes its op batchable.
void registerDialect(mlir::DialectRegistry &registry);

/// Lowers `glu.gate`, batched or not, to slices and a `linalg.generic`.
std::unique_ptr<mlir::Pass> createLowerGatePass();
void registerPasses();

/// dynbatch's pipelines with the lowering of `glu.gate` where it belongs.
mlir::dynbatch::PipelineHooks getPipelineHooks();
} // namespace glu

#endif // GLU_GLU_H
