//===- KernelLayout.cpp - Memory layout of a kernel's tasks -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/KernelLayout.h"
#include "dynbatch/Runtime/ABI.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dynbatch;

int64_t mlir::dynbatch::getElementBytes(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

KernelLayout::KernelLayout(KernelOp kernel)
    : rowWords(kernel.getTaskSignature().getNumInputs() + 1), resultBytes(0) {
  for (Type type : kernel.getTaskSignature().getResults()) {
    auto tensor = cast<RankedTensorType>(type);
    offsets.push_back(resultBytes);
    // Not even a result without elements shares its address with another one:
    // the address tells which task made it.
    int64_t bytes =
        tensor.getNumElements() * getElementBytes(tensor.getElementType());
    resultBytes +=
        llvm::alignTo(std::max<int64_t>(bytes, 1), DYNBATCH_TENSOR_ALIGNMENT);
  }
}
