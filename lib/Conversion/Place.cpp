//===- Place.cpp - Source places in messages -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Place.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

std::string mlir::dynbatch::getPlace(Location loc) {
  std::string place;
  loc->walk([&](Location nested) {
    auto file = dyn_cast<FileLineColLoc>(nested);
    if (!file)
      return WalkResult::advance();
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

std::string mlir::dynbatch::withPlace(StringRef text, Location loc) {
  std::string place = getPlace(loc);
  return place.empty() ? text.str() : place + ": " + text.str();
}
