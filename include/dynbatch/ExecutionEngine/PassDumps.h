//===- PassDumps.h - IR after each pass, as text -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_PASSDUMPS_H
#define DYNBATCH_EXECUTIONENGINE_PASSDUMPS_H

#include <string>
#include <vector>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mlir::dynbatch {

/// What a pass made of the op that it ran on.
struct PassDump {
  std::string pass; ///< its argument, such as "dynbatch-schedule"
  std::string op;   ///< the op's name and, if it has one, its symbol
  std::string ir;   ///< the op as text
};

/// Adds to `dumps`, which must outlive the run, one entry for each pass that
/// changes something. Passes then run one after the other: the context's
/// multi-threading is switched off.
void recordPasses(PassManager &pm, std::vector<PassDump> &dumps);

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_PASSDUMPS_H
