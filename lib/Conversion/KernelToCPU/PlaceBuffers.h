//===- PlaceBuffers.h - Buffers in the scratch memory of a call -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PLACEBUFFERS_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PLACEBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::dynbatch {

/// Replaces allocations of static size in `func` by places in the scratch
/// memory that its third argument names; buffers that are never in use together
/// may share a place. Returns the size of the scratch memory in bytes. Buffers
/// of dynamic size stay on the heap and are freed at the end of their block.
int64_t placeBuffers(RewriterBase &rewriter, func::FuncOp func);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PLACEBUFFERS_H
