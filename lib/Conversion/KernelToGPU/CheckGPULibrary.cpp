//===- CheckGPULibrary.cpp - Calls of the device library -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CHECKGPULIBRARY
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;

namespace {
struct CheckGPULibrary : dynbatch::impl::CheckGPULibraryBase<CheckGPULibrary> {
  using CheckGPULibraryBase::CheckGPULibraryBase;

  void runOnOperation() override {
    SmallString<128> path(toolkit.empty() ? NVVM::getCUDAToolkitPath()
                                          : StringRef(toolkit));
    llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
    if (llvm::sys::fs::exists(path))
      return;
    getOperation().walk([&](LLVM::CallOp call) {
      std::optional<StringRef> callee = call.getCallee();
      if (!callee || !callee->starts_with("__nv_"))
        return;
      call.emitOpError("needs '")
          << *callee
          << "' of the device library of a CUDA toolkit, which is not there: '"
          << path << "'";
      signalPassFailure();
    });
  }
};
} // namespace
