//===- Manifest.h - What is to be checked and timed -------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_GPUCHECK_MANIFEST_H
#define DYNBATCH_TOOLS_GPUCHECK_MANIFEST_H

#include "dynbatch/Runtime/Schedule.h"
#include "dynbatch/Runtime/Status.h"

#include <string>
#include <vector>

namespace dynbatch::gpucheck {

/// A model whose results are stored:
/// `check NAME LIBRARY INSTANCES PARAMETERS RESULTS`.
struct Check {
  std::string name, library, instances, parameters, results;
};

/// A way to compile and to schedule a model: `LABEL=LIBRARY,SCHEDULE`.
struct Variant {
  std::string label, library;
  rt::Schedule schedule;
};

/// A model to be timed with minibatches of one size:
/// `time NAME BATCH INSTANCES PARAMETERS VARIANT...`. Instances are a file, or
/// `tokens:COUNT:ROWS:COLUMNS`, random matrices.
struct Timing {
  std::string name, instances, parameters;
  size_t batch;
  std::vector<Variant> variants;
};

struct Manifest {
  std::vector<Check> checks;
  std::vector<Timing> timings;

  /// Reads a file with a line for each; names of files are relative to it.
  static rt::Result<Manifest> read(const std::string &path);
};

} // namespace dynbatch::gpucheck

#endif // DYNBATCH_TOOLS_GPUCHECK_MANIFEST_H
