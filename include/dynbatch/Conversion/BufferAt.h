//===- BufferAt.h - Buffers over memory that the runtime gave -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_BUFFERAT_H
#define DYNBATCH_CONVERSION_BUFFERAT_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::dynbatch {

/// A buffer of static shape over the storage at `address` (i64), row-major, in
/// the memory space of `type` if that is a memref. It is an LLVM descriptor
/// behind an unrealized cast, which conversion to LLVM resolves.
Value createBufferAt(OpBuilder &builder, Location loc, Value address,
                     ShapedType type);

/// The same with `count` (index) rows: `type` has one dynamic dimension, the
/// leading one.
Value createRowsAt(OpBuilder &builder, Location loc, Value address, Value count,
                   MemRefType type);

} // namespace mlir::dynbatch

#endif // DYNBATCH_CONVERSION_BUFFERAT_H
