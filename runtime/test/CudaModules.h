//===- CudaModules.h - Hand-written modules for CUDA ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TEST_CUDAMODULES_H
#define DYNBATCH_TEST_CUDAMODULES_H

#include "FakeCuda.h"
#include "TestModules.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dynbatch::rt::test {

/// The parking module with its kernels on the GPU.
const dynbatch_module &cudaTreeModule();
/// The spawning module, likewise.
const dynbatch_module &cudaSpawningModule();

/// A module with tensors in all kinds of places. Input: a sequence of `Item`,
/// which is `(Some tensor<3xf32>)` or `None`; results: the sum of `start`, a
/// parameter, and all items; the input sequence; an Item with twice the sum of
/// the input's first one and itself, or None, in a sequence with itself; the
/// parameter; the number of Some with a positive first element (found by reads
/// of the input).
const dynbatch_module &cudaItemsModule();

/// A module with one kernel that fails to launch in some way: its arguments are
/// the grid's and the block's x, shared memory, and what image it is of: 0 a
/// good one, 1 one that does not assemble, 2 one without the kernel, 3 one of
/// another version, 4 one of an unknown format, 5 an empty one.
const dynbatch_module &cudaLaunchModule();

/// A driver as new for each test; nothing may be wrong or left at its end.
class CudaTest : public testing::Test {
protected:
  CudaTest();
  ~CudaTest() override;

  /// Creates a Program, which may fail.
  static Result<std::unique_ptr<Program>>
  tryProgram(const dynbatch_module &module, const ProgramOptions &options = {});

  FakeCuda &cuda;
};

} // namespace dynbatch::rt::test

#endif // DYNBATCH_TEST_CUDAMODULES_H
