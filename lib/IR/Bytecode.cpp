//===- Bytecode.cpp - Version of the dialect in bytecode -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Bytecode.h"
#include "dynbatch/IR/Dynbatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

namespace {
/// Attributes and types stay in their textual form: there are few of them, and
/// bytecode writes each of them once.
struct DynbatchBytecodeInterface : BytecodeDialectInterface {
  explicit DynbatchBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const final {
    // The writer's configuration may ask for another one.
    auto asked = writer.getDialectVersion<DynbatchDialect>();
    writer.writeVarInt(
        succeeded(asked) ? static_cast<const DynbatchVersion *>(*asked)->number
                         : DynbatchVersion::kCurrent);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const final {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > DynbatchVersion::kCurrent) {
      reader.emitError()
          << "was written with version " << number
          << " of the 'dynbatch' dialect, but this program knows "
             "versions up to "
          << DynbatchVersion::kCurrent;
      return nullptr;
    }
    return std::make_unique<DynbatchVersion>(number);
  }
};
} // namespace

void mlir::dynbatch::detail::addBytecodeInterface(DynbatchDialect *dialect) {
  dialect->addInterfaces<DynbatchBytecodeInterface>();
}
