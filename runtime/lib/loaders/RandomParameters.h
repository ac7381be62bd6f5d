//===- RandomParameters.h - Reproducible parameter values -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_RANDOMPARAMETERS_H
#define DYNBATCH_LIB_LOADERS_RANDOMPARAMETERS_H

#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Status.h"

#include <cstdint>

namespace dynbatch::rt {

/// Fills the parameter's storage (formula: docs/RuntimeABI.md). An error for
/// integers, which are indices or masks: any random value would be wrong.
Status fillRandom(const Parameter &param, uint64_t seed, void *data);

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_RANDOMPARAMETERS_H
