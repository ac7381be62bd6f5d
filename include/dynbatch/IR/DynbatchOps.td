//===- DynbatchOps.td - All ops of the dialect -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_DYNBATCHOPS_TD
#define DYNBATCH_IR_DYNBATCHOPS_TD

include "dynbatch/IR/DataOps.td"
include "dynbatch/IR/FiberOps.td"
include "dynbatch/IR/KernelOps.td"
include "dynbatch/IR/LoweringOps.td"
include "dynbatch/IR/SequenceOps.td"
include "dynbatch/IR/TensorOps.td"

#endif // DYNBATCH_IR_DYNBATCHOPS_TD
