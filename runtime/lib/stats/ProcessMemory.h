//===- ProcessMemory.h - What the system says of this process ---*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_STATS_PROCESSMEMORY_H
#define DYNBATCH_LIB_STATS_PROCESSMEMORY_H

#include <cstdint>

namespace dynbatch::rt {

/// Page faults of all threads so far, with and without reading from a disk.
int64_t countPageFaults();

/// Bytes of anonymous memory in huge pages; 0 where the system does not say.
/// Walks through the process's pages.
int64_t countHugePageBytes();

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_STATS_PROCESSMEMORY_H
