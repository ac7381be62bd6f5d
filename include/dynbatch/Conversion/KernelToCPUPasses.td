//===- KernelToCPUPasses.td - Batched kernels to CPU code -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_KERNELTOCPUPASSES_TD
#define DYNBATCH_CONVERSION_KERNELTOCPUPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertKernelToCPU
    : Pass<"convert-dynbatch-kernel-to-cpu", "::mlir::ModuleOp"> {
  let summary = "lower batched kernels to functions for the CPU";
  let description = [{
    A batched kernel becomes a function of the runtime ABI,
    `(rows, count, scratch, params)`, and keeps no body. Its tensors are
    bufferized by one-shot bufferization: a gathered row is a view through its
    pointer, a scattered row is computed in place, and all other storage lies in
    the scratch memory of the call. `dynbatch.panel_matmul` calls a microkernel
    made of register tiles of fused multiply-adds; other ops become vector code.

    Before:

    ```mlir
    dynbatch.kernel private @exp(%n: index, %a: !dynbatch.rows<tensor<64xf32>>,
                                 %r: !dynbatch.rows<tensor<64xf32>>)
        attributes {task_type = (tensor<64xf32>) -> tensor<64xf32>} {
      scf.for %i = %c0 to %n step %c1 {
        %x = dynbatch.gather %a[%i, %c1] : !dynbatch.rows<tensor<64xf32>> -> tensor<1x64xf32>
        %y = linalg.exp ins(%x : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
        dynbatch.scatter %y into %r[%i] : tensor<1x64xf32>, !dynbatch.rows<tensor<64xf32>>
      }
      dynbatch.return
    }
    ```

    After:

    ```mlir
    dynbatch.kernel private @exp(...) attributes {implementation = @exp_cpu, scratch_bytes = 0 : i64, ...}
    func.func private @exp_cpu(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
      scf.for %i = %c0 to %n step %c1 {
        ...
        scf.for %j = %c0 to %c64 step %c32 {
          %x = vector.load %in[%c0, %j] : memref<1x64xf32>, vector<32xf32>
          ...
          vector.store %y, %out[%c0, %j] : memref<1x64xf32>, vector<32xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"512",
           "Bits of the target's vector registers; 512 also means 32 of them">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def DecomposeTensorOps
    : InterfacePass<"dynbatch-decompose-tensor-ops",
                    "::mlir::FunctionOpInterface"> {
  let summary = "replace composite tensor ops by simpler ones";
  let description = [{
    `linalg.softmax`, `linalg.pack`, `tensor.concat` and `tensor.pad`, which
    neither bufferization nor vectorization knows, become structured ops and
    slices. A contraction that sums over a concatenation becomes a chain of
    contractions of its pieces, so that these are not copied.

    Before:

    ```mlir
    %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```

    After:

    ```mlir
    %e = tensor.empty() : tensor<5xf32>
    %1 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
    %0 = tensor.insert_slice %b into %1[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CopiesToLinalg : InterfacePass<"dynbatch-copies-to-linalg",
                                   "::mlir::FunctionOpInterface"> {
  let summary = "copy buffers by linalg ops";
  let description = [{
    `memref.copy` of strided buffers would be lowered to a call of a support
    library; `linalg.copy` becomes a loop or vector code. Copies of a buffer onto
    itself are dropped.

    Before:

    ```mlir
    memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
    ```

    After:

    ```mlir
    linalg.copy ins(%a : memref<4x8xf32, strided<[16, 1]>>) outs(%b : memref<4x8xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ExpandBF16 : Pass<"dynbatch-expand-bf16"> {
  let summary = "conversions to and from bf16 as integer arithmetic";
  let description = [{
    Processors without instructions for it would call functions that the C
    compiler's library has only since GCC 13. A conversion from f64 rounds once:
    it goes through f32 with the last bit set where that is not exact. Arithmetic
    on bf16 must have been extended to f32 before.

    Before:

    ```mlir
    %0 = arith.extf %a : bf16 to f32
    ```

    After:

    ```mlir
    %c16 = arith.constant 16 : i32
    %1 = arith.bitcast %a : bf16 to i16
    %2 = arith.extui %1 : i16 to i32
    %3 = arith.shli %2, %c16 : i32
    %0 = arith.bitcast %3 : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // DYNBATCH_CONVERSION_KERNELTOCPUPASSES_TD
