//===- Widening.h - Tensors of f16 and bf16 as f32 --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_TRANSFORMS_WIDENING_H
#define DYNBATCH_LIB_TRANSFORMS_WIDENING_H

#include "mlir/IR/Builders.h"

namespace mlir::dynbatch {

/// Whether elements of `type`, a tensor or a scalar, are f16 or bf16.
bool isNarrow(Type type);

/// The elements of `narrow`, a tensor of f16 or bf16, as f32; `dynamicSizes`
/// are those of its dimensions that are dynamic.
Value widen(OpBuilder &builder, Location loc, Value narrow,
            ValueRange dynamicSizes = {});

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_TRANSFORMS_WIDENING_H
