//===- Dialect.cpp - C API of the dialect -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch-c/Dialect.h"
#include "dynbatch/ExecutionEngine/Compile.h"
#include "dynbatch/IR/Dynbatch.h"
#include "dynbatch/InitAll.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace mlir::dynbatch;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Dynbatch, dynbatch,
                                      mlir::dynbatch::DynbatchDialect)

void dynbatchRegisterAllDialects(MlirDialectRegistry registry) {
  registerCompilerDialects(*unwrap(registry));
}

void dynbatchRegisterAllPasses(void) { mlir::dynbatch::registerAllPasses(); }

bool dynbatchTypeIsAAdt(MlirType type) { return isa<AdtType>(unwrap(type)); }

MlirType dynbatchAdtTypeGet(MlirContext context, MlirStringRef name) {
  return wrap(
      AdtType::get(FlatSymbolRefAttr::get(unwrap(context), unwrap(name))));
}

MlirStringRef dynbatchAdtTypeGetName(MlirType type) {
  return wrap(cast<AdtType>(unwrap(type)).getName().getValue());
}

bool dynbatchTypeIsASeq(MlirType type) { return isa<SeqType>(unwrap(type)); }

MlirType dynbatchSeqTypeGet(MlirType element) {
  MLIRContext *context = unwrap(element).getContext();
  return wrap(
      SeqType::getChecked([&] { return emitError(UnknownLoc::get(context)); },
                          context, unwrap(element)));
}

MlirType dynbatchSeqTypeGetElement(MlirType type) {
  return wrap(cast<SeqType>(unwrap(type)).getElementType());
}
