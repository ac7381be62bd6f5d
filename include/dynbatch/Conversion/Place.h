//===- Place.h - Source places in messages -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_PLACE_H
#define DYNBATCH_CONVERSION_PLACE_H

#include "mlir/IR/Location.h"
#include <string>

namespace mlir::dynbatch {

/// `file:line:column` of the first source location inside of `loc`; empty if
/// there is none.
std::string getPlace(Location loc);

/// `text` behind the place that it is about, for messages at run time.
std::string withPlace(StringRef text, Location loc);

} // namespace mlir::dynbatch

#endif // DYNBATCH_CONVERSION_PLACE_H
