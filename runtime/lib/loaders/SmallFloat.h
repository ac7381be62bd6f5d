//===- SmallFloat.h - f16 and bf16 ------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_SMALLFLOAT_H
#define DYNBATCH_LIB_LOADERS_SMALLFLOAT_H

#include <cstdint>

namespace dynbatch::rt {

/// To the nearest value, ties to even; too large ones become infinite.
uint16_t toF16(double value);
uint16_t toBF16(double value);
/// Exact.
float fromF16(uint16_t bits);
float fromBF16(uint16_t bits);

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_SMALLFLOAT_H
