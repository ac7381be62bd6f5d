//===- TuningFile.h - Sizes of tiles that were measured ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TOOLS_COMMON_TUNINGFILE_H
#define DYNBATCH_TOOLS_COMMON_TUNINGFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace mlir::dynbatch {

/// What dynbatch-tune found, as JSON in a file:
///
///   {"version": 1, "tiles": [{"cpu": "znver3", "key": "8c1f...",
///                             "kernel": "encode_node", "tasks": 24}]}
class TuningFile {
public:
  struct Tile {
    std::string kernel; ///< its name when it was measured, for readers
    int64_t tasks;      ///< of a tile
  };

  static llvm::Expected<TuningFile> load(StringRef path);
  llvm::Error save(StringRef path) const;

  /// The entry of a kernel on a processor, which is made, or replaced.
  void set(StringRef cpu, StringRef key, Tile tile);
  void erase(StringRef cpu, StringRef key);

  /// Of all kernels that were measured on `cpu`: the pipeline's option
  /// `measured`, or nothing.
  std::string getPipelineOption(StringRef cpu) const;

private:
  std::map<std::pair<std::string, std::string>, Tile> tiles;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_TOOLS_COMMON_TUNINGFILE_H
