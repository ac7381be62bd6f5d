//===- Compare.h - Results against stored ones ------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_GPUCHECK_COMPARE_H
#define DYNBATCH_TOOLS_GPUCHECK_COMPARE_H

#include <string>

namespace dynbatch::gpucheck {

/// How far apart two texts of results are.
struct Difference {
  std::string problem; ///< where they differ in more than numbers; or empty
  double largest = 0;  ///< of |a - b| / max(1, |b|), over all numbers
};

/// Compares lines of results. Integers and names must be equal.
Difference compare(const std::string &actual, const std::string &expected);

} // namespace dynbatch::gpucheck

#endif // DYNBATCH_TOOLS_GPUCHECK_COMPARE_H
