//===- ReportError.h - Errors of tools -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_COMMON_REPORTERROR_H
#define DYNBATCH_TOOLS_COMMON_REPORTERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/WithColor.h"

namespace mlir::dynbatch {

/// Prints `error` in the name of `tool` and returns the exit code. An empty
/// message stands for diagnostics that have been printed.
inline int reportError(llvm::StringRef tool, llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  if (!message.empty())
    llvm::WithColor::error(llvm::errs(), tool) << message << "\n";
  return 1;
}

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_COMMON_REPORTERROR_H
