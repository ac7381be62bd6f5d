//===- ObjectCache.h - Machine code kept between runs -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_OBJECTCACHE_H
#define DYNBATCH_EXECUTIONENGINE_OBJECTCACHE_H

#include "dynbatch/ExecutionEngine/Compile.h"

namespace mlir::dynbatch {

/// The object of `source`: taken from `folder`, which is made if needed, or
/// else compiled and put there. A file in the cache is named by all that the
/// object depends on: the source and its name (which is part of messages), the
/// options but `configure`, the processor, this compiler. An error with hooks,
/// which have no name. Otherwise like `compile`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
getCachedObject(StringRef folder, llvm::MemoryBufferRef source,
                const CompileOptions &options, const TargetInfo &target,
                raw_ostream &diagnostics);

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_OBJECTCACHE_H
