//===- ObjectCache.h - Machine code kept between runs -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_DYNBATCHRUN_OBJECTCACHE_H
#define DYNBATCH_TOOLS_DYNBATCHRUN_OBJECTCACHE_H

#include "Compile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::dynbatch {

/// The object of the model in `path`: taken from `folder`, which is made if
/// needed, or else compiled and put there. A file in the cache is named by all
/// that the object depends on: the source and its path (which is part of
/// messages), the options, the processor, this program.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
getCachedObject(StringRef folder, StringRef path, const CompileOptions &options,
                const TargetInfo &target);

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_DYNBATCHRUN_OBJECTCACHE_H
