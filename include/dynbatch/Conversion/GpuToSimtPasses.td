//===- GpuToSimtPasses.td - GPU kernels on the CPU -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_GPUTOSIMTPASSES_TD
#define DYNBATCH_CONVERSION_GPUTOSIMTPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGpuToSimt : Pass<"convert-dynbatch-gpu-to-simt", "::mlir::ModuleOp"> {
  let summary = "run GPU kernels on the CPU, thread by thread";
  let description = [{
    Every `gpu.func` becomes a function of the host module that the runtime
    calls once a thread, each on a stack of its own, and every `gpu.launch_func`
    a call of `dynbatch_rt_simt_launch`. Ids and sizes are loads from what the
    runtime says about the thread (first argument), workgroup memory comes from
    the runtime, private memory from the thread's stack; constants move to the
    host module. Barriers, shuffles,
    reductions and `nvgpu.mma.sync` are calls in which threads wait for each
    other; asynchronous copies are copied at once.

    Every access of memory is checked before it is made, with the name of the op
    and its source location: indices against the shape of the memref, the
    address against the alignment that the op relies on, and, in workgroup
    memory, that what is read was written and that no other thread has touched
    it since the last barrier.

    An op of the `gpu`, `nvgpu` or `nvvm` dialect that has no meaning here is an
    error.

    Before:

    ```mlir
    gpu.module @kernels {
      gpu.func @shift(%x: memref<64xf32>) workgroup(%t: memref<64xf32, 3>) kernel {
        %i = gpu.thread_id x
        %v = memref.load %x[%i] : memref<64xf32>
        memref.store %v, %t[%i] : memref<64xf32, 3>
        gpu.barrier
        ...
        gpu.return
      }
    }
    func.func private @shift_launch(%x: memref<64xf32>) {
      ...
      gpu.launch_func @kernels::@shift blocks in (%one, %one, %one)
        threads in (%n, %one, %one) args(%x : memref<64xf32>)
      return
    }
    ```

    After:

    ```mlir
    func.func private @kernels_shift_simt(%thread: !llvm.ptr, %x: memref<64xf32>) {
      %workgroup = llvm.load %w : !llvm.ptr -> !llvm.ptr
      ...
      %id = llvm.load %p invariant : !llvm.ptr -> i64
      %i = arith.index_cast %id : i64 to index
      llvm.call @dynbatch_rt_simt_check_index(%thread, %what, %c0, %id, %c1, %c64)
      llvm.call @dynbatch_rt_simt_access(%thread, %what, %read, %address, %c4, %c4)
      %v = memref.load %x[%i] : memref<64xf32>
      ...
      llvm.call @dynbatch_rt_simt_barrier(%thread, %where)
      ...
      return
    }
    func.func private @kernels_shift_simt_thread(%thread: !llvm.ptr, %arguments: !llvm.ptr) {
      %0 = llvm.load %arguments : !llvm.ptr -> !llvm.struct<(...)>
      ...
      call @kernels_shift_simt(%thread, %x) : (!llvm.ptr, memref<64xf32>) -> ()
      return
    }
    func.func private @shift_launch(%x: memref<64xf32>) {
      ...
      %function = constant @kernels_shift_simt_thread : (!llvm.ptr, !llvm.ptr) -> ()
      llvm.call @dynbatch_rt_simt_launch(%name, %pointer, %arguments, %one, ...)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // DYNBATCH_CONVERSION_GPUTOSIMTPASSES_TD
