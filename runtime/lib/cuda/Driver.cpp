//===- Driver.cpp - The CUDA driver's library -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Driver.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Result<Driver> Driver::open() {
  const char *named = std::getenv("DYNBATCH_CUDA_DRIVER");
  std::string library = named && *named ? named : "libcuda.so.1";
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::error(std::string("cannot open the CUDA driver: ") +
                         dlerror());
  Driver driver;
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *symbol) {
    void *address = dlsym(handle, symbol);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
    if (!address && !missing)
      missing = symbol;
  };
#define DYNBATCH_CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                       \
  find(driver.NAME, SYMBOL);
#include "cuda/DriverFunctions.def"
  if (missing)
    return Status::error("the CUDA driver '" + library +
                         "' is too old: it has no function '" + missing + "'");
  if (CUresult error = driver.cuInit(0))
    return Status::error("cuInit: " + driver.describe(error));
  return driver;
}

std::string Driver::describe(CUresult error) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(error, &name) != CUDA_SUCCESS || !name)
    return "error " + std::to_string(error);
  if (cuGetErrorString(error, &text) != CUDA_SUCCESS || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}
