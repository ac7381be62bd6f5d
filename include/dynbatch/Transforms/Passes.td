//===- Passes.td - All program and kernel passes -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_PASSES_TD
#define DYNBATCH_TRANSFORMS_PASSES_TD

include "dynbatch/Transforms/ProgramPasses.td"
include "dynbatch/Transforms/SharingPasses.td"
include "dynbatch/Transforms/KernelPasses.td"
include "dynbatch/Transforms/FiberPasses.td"

#endif // DYNBATCH_TRANSFORMS_PASSES_TD
