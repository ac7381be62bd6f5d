//===- SerializeGPUKernels.cpp - PTX and binaries -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_SERIALIZEGPUKERNELS
#include "dynbatch/Conversion/KernelToGPUPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;

namespace {
struct SerializeGPUKernels
    : dynbatch::impl::SerializeGPUKernelsBase<SerializeGPUKernels> {
  using SerializeGPUKernelsBase::SerializeGPUKernelsBase;

  LogicalResult initialize(MLIRContext *context) override {
    target = llvm::StringSwitch<std::optional<gpu::CompilationTarget>>(format)
                 .Case("auto", gpu::CompilationTarget::Fatbin)
                 .Case("isa", gpu::CompilationTarget::Assembly)
                 .Case("bin", gpu::CompilationTarget::Binary)
                 .Case("fatbin", gpu::CompilationTarget::Fatbin)
                 .Default(std::nullopt);
    if (target)
      return success();
    return emitError(UnknownLoc::get(context))
           << "dynbatch-serialize-gpu-kernels: format must be isa, bin, "
              "fatbin or auto, but is '"
           << format << "'";
  }

  void runOnOperation() override {
    if (format == "auto" && !(hasTool("ptxas") && hasTool("fatbinary")))
      target = gpu::CompilationTarget::Assembly;
    SmallString<128> library(toolkit.empty() ? NVVM::getCUDAToolkitPath()
                                             : StringRef(toolkit));
    llvm::sys::path::append(library, "nvvm", "libdevice", "libdevice.10.bc");
    bool hasLibrary = llvm::sys::fs::exists(library);
    if (!hasLibrary && failed(verifyNoCalls(library)))
      return signalPassFailure();

    // No code needs the library, so it is no error that it is not there.
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      std::string text = diagnostic.str();
      return success(!hasLibrary &&
                     (StringRef(text).starts_with("CUDA path:") ||
                      StringRef(text).starts_with("LibDevice")));
    });
    gpu::TargetOptions options(toolkit, /*librariesToLink=*/{},
                               /*cmdOptions=*/{}, /*elfSection=*/{}, *target);
    if (failed(gpu::transformGpuModulesToBinaries(
            getOperation(), gpu::OffloadingLLVMTranslationAttrInterface(),
            options)))
      signalPassFailure();
  }

private:
  /// Whether serialization will find `tool`.
  bool hasTool(StringRef tool);
  /// Emits an error for each call of the library.
  LogicalResult verifyNoCalls(StringRef library);

  std::optional<gpu::CompilationTarget> target;
};
} // namespace

bool SerializeGPUKernels::hasTool(StringRef tool) {
  auto isIn = [&](StringRef folder) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, "bin", tool);
    return !folder.empty() && llvm::sys::fs::can_execute(path);
  };
  return isIn(toolkit) || llvm::sys::findProgramByName(tool) ||
         isIn(NVVM::getCUDAToolkitPath());
}

LogicalResult SerializeGPUKernels::verifyNoCalls(StringRef library) {
  LogicalResult result = success();
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
    module.walk([&](LLVM::CallOp call) {
      std::optional<StringRef> callee = call.getCallee();
      if (!callee || !callee->starts_with("__nv_"))
        return;
      result = call.emitOpError("needs '")
               << *callee
               << "' of the device library of a CUDA toolkit, which is not "
                  "there: '"
               << library << "'";
    });
  return result;
}
