//===- KernelPasses.td - Passes on kernels, in pipeline order -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_KERNELPASSES_TD
#define DYNBATCH_TRANSFORMS_KERNELPASSES_TD

include "mlir/Pass/PassBase.td"

#endif // DYNBATCH_TRANSFORMS_KERNELPASSES_TD
