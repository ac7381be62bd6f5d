//===- TensorOps.td - Tensor access and static blocks -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_TENSOROPS_TD
#define DYNBATCH_IR_TENSOROPS_TD

include "dynbatch/IR/DynbatchTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Not Pure: the op can end the run with an error, so no pass may speculate it.
def Dynbatch_LookupOp : Dynbatch_Op<"lookup", [NoMemoryEffect]> {
  let summary = "row of a table by a run-time index";
  let description = [{
    Gives `table[index, ...]`. No data moves: in host code the result is a view
    of the table. An index outside of the table ends the run with an error that
    names the instance and the op's location.

    Example:

    ```mlir
    %x = dynbatch.lookup %E[%word] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$table,
                       AnySignlessIntegerOrIndex:$index);
  let results = (outs AnyStaticShapeTensor:$row);
  let assemblyFormat = [{
    $table `[` $index `]` attr-dict `:` type($table) `,` type($index) `->`
    type($row)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

// Not Pure: the op can end the run with an error, so no pass may speculate it.
def Dynbatch_ReadOp : Dynbatch_Op<"read", [
    NoMemoryEffect, TypesMatchWith<"result is the element type", "tensor", "value",
      "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()">]> {
  let summary = "forced read: an element of a computed tensor, for the host";
  let description = [{
    Host control flow asks for a value that a pending task may have to compute
    first. `dynbatch-normalize` makes it from `tensor.extract` outside of
    kernels. An index outside of the tensor ends the run with an error.

    Example:

    ```mlir
    %p = dynbatch.read %t[%i] : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tensor, Variadic<Index>:$indices);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$tensor `[` $indices `]` attr-dict `:` type($tensor)";
  let hasVerifier = 1;
}

def Dynbatch_BlockOp : Dynbatch_Op<"block", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    RecursiveMemoryEffects, RecursivelySpeculatable,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "static block: tensor ops that are scheduled as one unit";
  let description = [{
    A maximal run of tensor ops with no control flow inside. Values from outside
    are captured; `dynbatch-outline-kernels` turns them into kernel operands.

    Example:

    ```mlir
    %y = dynbatch.block -> tensor<4xf32> {
      %0 = arith.addf %a, %b : tensor<4xf32>
      dynbatch.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` type($results)^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

#endif // DYNBATCH_IR_TENSOROPS_TD
