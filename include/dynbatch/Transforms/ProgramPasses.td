//===- ProgramPasses.td - Passes on programs, in pipeline order -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_PROGRAMPASSES_TD
#define DYNBATCH_TRANSFORMS_PROGRAMPASSES_TD

include "mlir/Pass/PassBase.td"

def Normalize : Pass<"dynbatch-normalize", "::mlir::ModuleOp"> {
  let summary = "inline, turn elementwise ops into linalg, make reads explicit";
  let description = [{
    Non-recursive functions are inlined, so that a static block can span what
    was a call. Elementwise `arith` and `math` ops on tensors become
    `linalg.generic`. A `tensor.extract` in host code is a forced read and
    becomes `dynbatch.read`. A tensor op that is neither batchable nor control
    flow is an error that says why.

    Before:

    ```mlir
    func.func private @sum(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %a, %b : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%a: tensor<4xf32>) -> f32 attributes {dynbatch.entry} {
      %c0 = arith.constant 0 : index
      %0 = call @sum(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = tensor.extract %0[%c0] : tensor<4xf32>
      return %1 : f32
    }
    ```

    After:

    ```mlir
    func.func @main(%a: tensor<4xf32>) -> f32 attributes {dynbatch.entry} {
      %c0 = arith.constant 0 : index
      %0 = linalg.generic {...} ins(%a, %a : ...) outs(%a : ...) {
        ^bb0(%x: f32, %y: f32, %out: f32):
          %2 = arith.addf %x, %y : f32
          linalg.yield %2 : f32
      } -> tensor<4xf32>
      %1 = dynbatch.read %0[%c0] : tensor<4xf32>
      return %1 : f32
    }
    ```
  }];
  let statistics = [
    Statistic<"numInlined", "inlined", "Calls inlined">,
    Statistic<"numReads", "reads", "Forced reads made explicit">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect",
                           "::mlir::linalg::LinalgDialect"];
}

#endif // DYNBATCH_TRANSFORMS_PROGRAMPASSES_TD
