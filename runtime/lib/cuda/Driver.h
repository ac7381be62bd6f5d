//===- Driver.h - The CUDA driver's library ---------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_DRIVER_H
#define DYNBATCH_LIB_CUDA_DRIVER_H

#include "cuda/DriverTypes.h"
#include "dynbatch/Runtime/Status.h"

#include <string>

namespace dynbatch::rt::cuda {

/// The functions of the CUDA driver, found at run time.
struct Driver {
#define DYNBATCH_CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                       \
  CUresult(*NAME) PARAMETERS = nullptr;
#include "cuda/DriverFunctions.def"

  /// Opens and initialises the driver: the library that the environment
  /// variable DYNBATCH_CUDA_DRIVER names, or libcuda.so.1. It stays loaded.
  static Result<Driver> open();

  /// Name and meaning of an error.
  std::string describe(CUresult error) const;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_DRIVER_H
