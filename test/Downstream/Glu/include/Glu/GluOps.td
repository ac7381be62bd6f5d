//===- GluOps.td - Gated linear units -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GLU_OPS_TD
#define GLU_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Glu_Dialect : Dialect {
  let name = "glu";
  let cppNamespace = "::glu";
}

def Glu_GateOp : Op<Glu_Dialect, "gate", [Pure]> {
  let summary = "gated linear unit";
  let description = [{
    With the halves `a` and `b` of the input's last dimension the result is
    `a * sigmoid(b)`. Any dimensions may be in front of it.

    Example:

    ```mlir
    %y = glu.gate %x : tensor<8xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // GLU_OPS_TD
