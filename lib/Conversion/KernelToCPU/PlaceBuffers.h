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

/// What a call needs, in bytes.
struct ScratchSize {
  int64_t bytes = 0;
  int64_t bytesPerRow = 0; ///< behind them, for each row of the call
};

/// Replaces allocations in `func` by places in the scratch memory that its
/// third argument names; buffers that are never in use together may share a
/// place. Buffers of dynamic size must have as many rows as the call, `count`
/// (index, defined in the entry block): anything else is an error.
FailureOr<ScratchSize> placeBuffers(RewriterBase &rewriter, func::FuncOp func,
                                    Value count);

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOCPU_PLACEBUFFERS_H
