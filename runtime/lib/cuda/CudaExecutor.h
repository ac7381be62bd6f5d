//===- CudaExecutor.h - Runs batches on a GPU -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_CUDAEXECUTOR_H
#define DYNBATCH_LIB_CUDA_CUDAEXECUTOR_H

#include "core/Executor.h"
#include "dynbatch/Runtime/Module.h"
#include "stats/Recorder.h"

#include <memory>

namespace dynbatch::rt {

/// An executor on a GPU through the CUDA driver. `recorder` may be null;
/// otherwise the device's times go there. It must outlive the executor.
Result<std::unique_ptr<Executor>>
createCudaExecutor(const Module &module, int device, Recorder *recorder);

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CUDA_CUDAEXECUTOR_H
