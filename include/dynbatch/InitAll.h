//===- InitAll.h - Everything a tool registers -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_INITALL_H
#define DYNBATCH_INITALL_H

#include "dynbatch/Pipelines/Pipelines.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlir::dynbatch {

/// The dialect and its external models for upstream ops.
void registerAllDialects(DialectRegistry &registry);

/// All passes and the pipelines, for textual pipelines and tool flags. The
/// pipelines have the `hooks`.
void registerAllPasses(const PipelineHooks &hooks = {});

} // namespace mlir::dynbatch

#endif // DYNBATCH_INITALL_H
