//===- KernelToGPUPasses.td - Batched kernels to GPU code -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_KERNELTOGPUPASSES_TD
#define DYNBATCH_CONVERSION_KERNELTOGPUPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertKernelToGPU
    : Pass<"convert-dynbatch-kernel-to-gpu", "::mlir::ModuleOp"> {
  let summary = "lower batched kernels to GPU kernels and their launches";
  let description = [{
    A batched kernel becomes a function of the runtime ABI,
    `(rows, count, scratch, params)`, and keeps no body. The function launches
    one or more GPU kernels, which get the same arguments and are in one
    `gpu.module`. Tensors are not bufferized: elements of gathered tensors,
    slices, concatenations, transpositions and the like are found where they are
    used, through the pointers of the tasks. What later launches need is stored
    in the results of the tasks if it is one, or in scratch memory for each row.

    * A contraction with a result of f32 is a launch. A block computes a tile of the
      result, with a few elements in the registers of each thread; tiles of both
      factors pass through workgroup memory, where the next ones arrive while
      one is multiplied. Each element is one chain of fused multiply-adds in
      ascending order: a row's result does not depend on the batch that it is
      part of. A contraction that starts from the result of another one goes on
      in its registers, and elementwise ops on the result follow in the same
      launch, also when they combine columns that lie apart, as the gates of a
      cell do.
    * Factors of f16 or bf16 are multiplied on tensor cores (`nvgpu.mma.sync`),
      with sums of f32; so are those of f32 with `allow-tf32`, which drops the
      lower 13 bits of their fractions. A result with few rows, or with an odd
      number of columns, is computed without: of f16 and bf16 as all else is.
    * All else between two contractions is one launch. If it is elementwise, the
      threads are spread over the elements of all tasks. Otherwise the threads of
      a block share points (a task, or a position in more leading dimensions that
      no op mixes) and go from step to step with barriers, through workgroup
      memory or, where that is too small, scratch memory. Threads share long
      reductions.

    Kernels are those that `dynbatch-batch-kernels` gives.

    Before:

    ```mlir
    dynbatch.kernel private @cell(%n: index, %x: !dynbatch.rows<tensor<8xf32>>,
                                  %r: !dynbatch.rows<tensor<4xf32>>)
        attributes {task_type = (tensor<8xf32>) -> tensor<4xf32>} {
      %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
      %W = ml_program.global_load_const @W : tensor<8x4xf32>
      %Y = linalg.matmul ins(%X, %W : tensor<?x8xf32>, tensor<8x4xf32>)
                         outs(%zeros : tensor<?x4xf32>) -> tensor<?x4xf32>
      %Z = linalg.tanh ins(%Y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      dynbatch.scatter %Z into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
      dynbatch.return
    }
    ```

    After:

    ```mlir
    dynbatch.kernel private @cell(...) attributes {implementation = @cell_launch, row_scratch_bytes = 0 : i64, ...}
    func.func private @cell_launch(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
      %n = arith.index_cast %count : i64 to index
      %blocks = arith.ceildivui %n, %c64 : index
      gpu.launch_func @kernels::@cell_0 blocks in (%blocks, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%rows : !llvm.ptr, %count : i64, %scratch : !llvm.ptr, %params : !llvm.ptr)
      return
    }
    gpu.module @kernels {
      gpu.func @cell_0(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr)
          workgroup(%X_tiles : memref<2x8x68xf32, #gpu.address_space<workgroup>>, ...) kernel {
        %thread = gpu.thread_id x
        ...
        %x = vector.load %row[%k] : memref<8xf32, 1>, vector<4xf32>
        ...
        gpu.barrier
        ...
        %sum = math.fma %a, %w, %acc : f32
        ...
        %z = math.tanh %sum : f32
        ...
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", /*default=*/"0",
           "Rows of a contraction's result in a block; 0: the shapes decide">,
    Option<"tileColumns", "tile-columns", "int64_t", /*default=*/"0",
           "Columns of each group in a block; 0: the shapes decide">,
    Option<"tileDepth", "tile-depth", "int64_t", /*default=*/"0",
           "Terms in workgroup memory at once; 0: the shapes decide">,
    Option<"threads", "threads", "int64_t", /*default=*/"256",
           "Most threads of a block of all other launches">,
    Option<"allowTf32", "allow-tf32", "bool", /*default=*/"false",
           "Round factors of f32 contractions to TF32, for tensor cores">
  ];
  let statistics = [
    Statistic<"numLaunches", "launches", "Launches">,
    Statistic<"numContractions", "contractions", "Launches of a contraction">,
    Statistic<"numFused", "fused", "Ops fused into a contraction's launch">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def PrepareMma : Pass<"dynbatch-prepare-mma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "fragments for tensor cores that upstream does not lower";
  let description = [{
    Runs right before the conversion to NVVM. Upstream's `convert-nvgpu-to-nvvm`
    does not find PTX types for fragments of bf16: they are given to NVVM's op as
    words of two elements each. And `vector.from_elements` of two dimensions,
    which canonicalization makes of fragments, becomes one for each row.

    Before:

    ```mlir
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]}
        : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    ```

    After:

    ```mlir
    %row = vector.extract %a[0] : vector<2xbf16> from vector<4x2xbf16>
    %word = vector.bitcast %row : vector<2xbf16> to vector<1xi32>
    %a0 = vector.extract %word[0] : i32 from vector<1xi32>
    ...
    %sums = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3]
        {multiplicandAPtxType = #nvvm.mma_type<bf16>, ...}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandGPUMath : Pass<"dynbatch-expand-gpu-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "math ops of GPU kernels without a device library";
  let description = [{
    The conversion to NVVM makes calls of NVIDIA's device library of most `math`
    ops. The library comes with the CUDA toolkit, which need not be there, so
    they are expanded first: transcendental functions of f32 into polynomials
    (smaller floats are extended), ops that the hardware has into intrinsics of
    LLVM, all others, where they can be, into these. Results are then the same
    whether a library is there or not.

    Before:

    ```mlir
    %1 = math.fma %a, %b, %c : f32
    %2 = math.exp %1 : f32
    %3 = arith.maxnumf %2, %d : f32
    ```

    After:

    ```mlir
    %1 = llvm.call_intrinsic "llvm.fma"(%a, %b, %c) : (f32, f32, f32) -> f32
    ...
    %2 = llvm.call_intrinsic "llvm.fma"(%x, %p, %q) : (f32, f32, f32) -> f32
    ...
    %3 = llvm.call_intrinsic "llvm.maxnum"(%2, %d) : (f32, f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def SerializeGPUKernels
    : Pass<"dynbatch-serialize-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "PTX or binaries of GPU kernels";
  let description = [{
    Like upstream's `gpu-module-to-binary`, but a call of NVIDIA's device library
    (`__nv_*`) is an error if there is no toolkit that has the library: the code
    would not load, or load without the kernel. Code that needs no library needs
    no toolkit either, unless it is to be assembled. A fat binary has the code
    for one chip and the PTX for all later ones.

    Before:

    ```mlir
    gpu.module @kernels [#nvvm.target<O = 3, chip = "sm_80">] {
      llvm.func @exp_0(...) attributes {nvvm.kernel, ...} {
        ...
    ```

    After:

    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_80">, assembly = ".version 7.0 ...">]
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"isa\"",
           "isa (PTX, needs no toolkit), bin, fatbin, or auto: fatbin where there "
           "are the tools to make it, isa otherwise">,
    Option<"toolkit", "toolkit", "std::string", /*default=*/"\"\"",
           "Folder of the CUDA toolkit; empty: where it is usually found">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // DYNBATCH_CONVERSION_KERNELTOGPUPASSES_TD
