//===- Bytecode.h - Version of the dialect in bytecode -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_BYTECODE_H
#define DYNBATCH_IR_BYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::dynbatch {

class DynbatchDialect;

/// Version of the dialect, as bytecode files carry it. It grows by one with
/// each change after which older readers would misunderstand or refuse the ops.
/// Files of the current and all older versions can be read; newer ones are
/// refused with an error.
struct DynbatchVersion : DialectVersion {
  static constexpr uint64_t kCurrent = 1;

  explicit DynbatchVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

namespace detail {
void addBytecodeInterface(DynbatchDialect *dialect);
} // namespace detail
} // namespace mlir::dynbatch

#endif // DYNBATCH_IR_BYTECODE_H
