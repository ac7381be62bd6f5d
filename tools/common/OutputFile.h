//===- OutputFile.h - Files that appear whole or not at all -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_COMMON_OUTPUTFILE_H
#define DYNBATCH_TOOLS_COMMON_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::dynbatch {

/// Writes `contents` to `path`, or to standard output for `-`. On an error the
/// file is as it was before.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_COMMON_OUTPUTFILE_H
