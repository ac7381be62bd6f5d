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

/// The same over the storage at `pointer`, of the memory space of `type`, with
/// `size` (i64) as the leading dimension, which is dynamic.
Value createBufferAt(OpBuilder &builder, Location loc, Value pointer,
                     MemRefType type, Value size);

} // namespace mlir::dynbatch

#endif // DYNBATCH_CONVERSION_BUFFERAT_H
