//===- SharingPasses.td - Passes that make use of shared parameters -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_SHARINGPASSES_TD
#define DYNBATCH_TRANSFORMS_SHARINGPASSES_TD

include "mlir/Pass/PassBase.td"

def Specialize : Pass<"dynbatch-specialize", "::mlir::ModuleOp"> {
  let summary = "clone functions for the parameters they are called with";
  let description = [{
    A function that is called with different parameters sees an operand that
    varies, and its kernels could not share the weights. It is cloned once for
    every combination of parameters (context) that calls pass, along chains of
    calls and through recursion. A context is found from the entry on, so
    recursion that permutes its parameters ends as soon as no combination is
    new; beyond `max-contexts` combinations a function's remaining calls use the
    general version, with a *missed* remark. Functions without a call left are
    erased.

    Before:

    ```mlir
    func.func private @dense(%W: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
      %y = linalg.matvec ins(%W, %x : ...) outs(%x : ...)
      return %y : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %A = ml_program.global_load_const @A : tensor<4x4xf32>
      %B = ml_program.global_load_const @B : tensor<4x4xf32>
      %0 = call @dense(%A, %x) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = call @dense(%B, %0) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    func.func private @dense(%W: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> ...
    func.func private @dense_0(%W: tensor<4x4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> ...
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      ...
      %0 = call @dense(%A, %x) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = call @dense_0(%B, %0) : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"maxContexts", "max-contexts", "unsigned", /*default=*/"8",
           "Most versions of a function besides the general one; 1 clones "
           "nothing">
  ];
  let statistics = [
    Statistic<"numClones", "clones", "Functions cloned">,
    Statistic<"numBounded", "bounded", "Contexts given up at the bound">
  ];
}

def FuseHorizontal
    : Pass<"dynbatch-fuse-horizontal", "::mlir::dynbatch::KernelOp"> {
  let summary = "contract once with concatenated weights";
  let description = [{
    Matrix-vector products of one varying vector with several shared matrices
    become one product with the matrices stacked; so do their initial values
    where these are shared, too. The stacking depends on parameters alone and
    moves to the prologue. Works on kernels of one task, before
    `dynbatch-batch-kernels`.

    Before:

    ```mlir
    %i = linalg.matvec ins(%Wi, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
    %o = linalg.matvec ins(%Wo, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bo : tensor<4xf32>) -> tensor<4xf32>
    ```

    After:

    ```mlir
    %W = tensor.concat dim(0) %Wi, %Wo : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %b = tensor.concat dim(0) %bi, %bo : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %io = linalg.matvec ins(%W, %x : tensor<8x8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
    %i = tensor.extract_slice %io[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %o = tensor.extract_slice %io[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFused", "fused", "Products that became part of another">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // DYNBATCH_TRANSFORMS_SHARINGPASSES_TD
