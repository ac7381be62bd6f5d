//===- Compile.h - From a source file to machine code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_DYNBATCH_RUN_COMPILE_H
#define DYNBATCH_TOOLS_DYNBATCH_RUN_COMPILE_H

#include "dynbatch/ExecutionEngine/Jit.h"

namespace mlir::dynbatch {

/// What runs the kernels.
enum class Target { Cpu, Reference };

/// Parses and compiles the model in `path`. Diagnostics go to standard error;
/// the error returned for them has an empty message. `assembly`, if given,
/// receives the assembly text. `pipelineOptions` are those of
/// `dynbatch-pipeline`, as text; they mean nothing to the reference target.
llvm::Expected<std::unique_ptr<Jit>> compileFile(MLIRContext &context,
                                                 StringRef path, Target target,
                                                 StringRef pipelineOptions,
                                                 std::string *assembly);

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_DYNBATCH_RUN_COMPILE_H
