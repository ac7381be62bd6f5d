//===- Contractions.h - Sums of products --------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_ANALYSIS_CONTRACTIONS_H
#define DYNBATCH_ANALYSIS_CONTRACTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::dynbatch {

/// Whether `op` adds products of the elements of its two inputs to its output,
/// in floating point, and does nothing else. Elements narrower than the
/// output's may be extended to it. linalg's own interface takes an op for a
/// contraction as well when its body applies other functions of one operand on
/// the way (an exponential of a factor, say): code for plain products would
/// leave them out.
bool isPlainContraction(linalg::LinalgOp op);

} // namespace mlir::dynbatch

#endif // DYNBATCH_ANALYSIS_CONTRACTIONS_H
