//===- Passes.h - Program and kernel passes -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_PASSES_H
#define DYNBATCH_TRANSFORMS_PASSES_H

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace mlir::dynbatch {

#define GEN_PASS_DECL
#include "dynbatch/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dynbatch/Transforms/Passes.h.inc"

} // namespace mlir::dynbatch

#endif // DYNBATCH_TRANSFORMS_PASSES_H
