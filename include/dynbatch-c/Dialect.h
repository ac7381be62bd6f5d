//===- Dialect.h - C API of the dialect -*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_C_DIALECT_H
#define DYNBATCH_C_DIALECT_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The dialect alone, to be registered or loaded like those of upstream.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Dynbatch, dynbatch);

/// All that source programs and the pipelines need: upstream's dialects with
/// their translations to LLVM IR, the dialect, and its models of interfaces for
/// upstream's ops.
MLIR_CAPI_EXPORTED void
dynbatchRegisterAllDialects(MlirDialectRegistry registry);

/// Registers all passes and pipelines (dynbatch-pipeline, ...), so that
/// mlirOpPassManagerAddPipeline and mlirParsePassPipeline know them. Once a
/// process.
MLIR_CAPI_EXPORTED void dynbatchRegisterAllPasses(void);

/// `!dynbatch.adt<@name>`
MLIR_CAPI_EXPORTED bool dynbatchTypeIsAAdt(MlirType type);
MLIR_CAPI_EXPORTED MlirType dynbatchAdtTypeGet(MlirContext context,
                                               MlirStringRef name);
MLIR_CAPI_EXPORTED MlirStringRef dynbatchAdtTypeGetName(MlirType type);

/// `!dynbatch.seq<element>`. Null, with a diagnostic, unless the element is a
/// scalar, a tensor of static shape, an ADT or a sequence.
MLIR_CAPI_EXPORTED bool dynbatchTypeIsASeq(MlirType type);
MLIR_CAPI_EXPORTED MlirType dynbatchSeqTypeGet(MlirType element);
MLIR_CAPI_EXPORTED MlirType dynbatchSeqTypeGetElement(MlirType type);

#ifdef __cplusplus
}
#endif

#endif // DYNBATCH_C_DIALECT_H
