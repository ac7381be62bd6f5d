//===- Link.h - From an object to a shared library -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_DYNBATCH_COMPILE_LINK_H
#define DYNBATCH_TOOLS_DYNBATCH_COMPILE_LINK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::dynbatch {

/// The path of the linker: `given` (a path, or a name on PATH) or, if empty,
/// the first linker or C compiler on PATH.
llvm::Expected<std::string> findLinker(llvm::StringRef given);

/// Makes a shared library of the object file's bytes and returns its bytes.
/// What the object does not define stays undefined.
llvm::Expected<std::string> linkShared(llvm::StringRef linker,
                                       llvm::StringRef object);

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_DYNBATCH_COMPILE_LINK_H
