//===- GpuToCudaPasses.td - GPU code in host modules -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_GPUTOCUDAPASSES_TD
#define DYNBATCH_CONVERSION_GPUTOCUDAPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGpuToCuda : Pass<"convert-dynbatch-gpu-to-cuda", "::mlir::ModuleOp"> {
  let summary = "launch GPU binaries through the runtime";
  let description = [{
    Every `gpu.binary` becomes a constant of the host module, a
    `dynbatch_gpu_image`, and every `gpu.launch_func` a call of
    `dynbatch_rt_gpu_launch`, with the source location of the launch for
    messages. Arguments are integers, floats and pointers; they lie in an array
    of the function around the launch.

    Upstream's `gpu-to-llvm` would call wrappers that load modules and wait for
    the device on their own; the runtime does that once for all kernels of a
    program.

    Before:

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 7.0 ...">]
    func.func private @cell_launch(%rows: !llvm.ptr, %count: i64, ...) {
      ...
      gpu.launch_func @kernels::@cell_0 blocks in (%blocks, %one, %one)
        threads in (%size, %one, %one) args(%rows : !llvm.ptr, %count : i64, ...)
      return
    }
    ```

    After:

    ```mlir
    llvm.mlir.global internal constant @kernels_data(".version 7.0 ...")
    llvm.mlir.global internal constant @kernels() : !llvm.struct<(i32, i32, ptr, i64)> {
      ...
    }
    func.func private @cell_launch(%rows: !llvm.ptr, %count: i64, ...) {
      %arguments = llvm.alloca %c1 x !llvm.struct<(ptr, i64, ...)>
      %addresses = llvm.alloca %c1 x !llvm.array<4 x ptr>
      ...
      llvm.store %rows, %argument0
      llvm.store %argument0, %address0
      ...
      llvm.call @dynbatch_rt_gpu_launch(%image, %name, %blocks, %c1, %c1, %size, %c1, %c1,
                                        %c0, %addresses, %c4, %location)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // DYNBATCH_CONVERSION_GPUTOCUDAPASSES_TD
