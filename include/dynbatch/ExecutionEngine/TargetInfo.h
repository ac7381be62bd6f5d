//===- TargetInfo.h - What code is generated for -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_EXECUTIONENGINE_TARGETINFO_H
#define DYNBATCH_EXECUTIONENGINE_TARGETINFO_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"
#include <string>
#include <vector>

namespace mlir::dynbatch {

/// A processor of this machine's kind.
struct TargetInfo {
  llvm::Triple triple;
  /// LLVM's name, never "native".
  std::string cpu;
  /// Added to what the name stands for, as LLVM takes it: "+avx2,-sse4a".
  std::string features;
  /// Instruction sets that code may use, of those that the runtime can look
  /// for: "avx2".
  std::vector<std::string> required;
  /// Bits of the widest vector register, 128 where nothing is known.
  int64_t vectorBits = 128;
  /// Of a core's second-level cache: of this machine for "native", or else what
  /// is common.
  int64_t l2Bytes = 1 << 20;

  /// `cpu` is a name of LLVM's, or "native" for the processor that runs this.
  /// `attributes` ("+avx2,-fma") have the last word. Unknown names are errors.
  static llvm::Expected<TargetInfo> create(StringRef cpu = "native",
                                           StringRef attributes = "");
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_EXECUTIONENGINE_TARGETINFO_H
