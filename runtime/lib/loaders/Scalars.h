//===- Scalars.h - Bits of scalars ------------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_SCALARS_H
#define DYNBATCH_LIB_LOADERS_SCALARS_H

#include "dynbatch/Runtime/Descriptor.h"

#include <cstdint>
#include <string>

namespace dynbatch::rt {

/// The range of a signless integer, read as signed (i1: 0 and 1).
void integerRange(DType dtype, int64_t &least, int64_t &most);
/// What to say of `text`, a number outside of that range.
std::string outOfIntegerRange(DType dtype, const std::string &text);
/// A number in the range, as the zero-extended bits of a slot.
uint64_t integerBits(DType dtype, int64_t value);

/// `value` rounded once to the type, to nearest even; `infinite` says whether
/// it has become infinite.
uint64_t floatBits(DType dtype, double value, bool &infinite);

/// A scalar's bits as a number.
int64_t toInteger(DType dtype, uint64_t bits);
double toFloat(DType dtype, uint64_t bits);

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_SCALARS_H
