//===- FiberOps.td - Concurrent calls inside of an instance -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_FIBEROPS_TD
#define DYNBATCH_IR_FIBEROPS_TD

include "dynbatch/IR/DynbatchTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dynbatch_SpawnOp : Dynbatch_Op<"spawn", [
    MemoryEffects<[MemAlloc, MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "starts a call that may be parked at a forced read";
  let description = [{
    The callee runs at once, until it ends or has to wait for a tensor. In that
    case the caller goes on, so that the tasks of both can share batches.

    Example:

    ```mlir
    %f = dynbatch.spawn @encode(%l)
       : (!dynbatch.adt<@Tree>) -> !dynbatch.fiber<tensor<4xf32>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Dynbatch_DataType>:$arguments);
  let results = (outs Dynbatch_FiberType:$fiber);
  let assemblyFormat = [{
    $callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $fiber)
  }];
}

def Dynbatch_JoinOp : Dynbatch_Op<"join", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for a spawned call and gives its results";
  let description = [{
    Example:

    ```mlir
    %h = dynbatch.join %f : !dynbatch.fiber<tensor<4xf32>> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Dynbatch_FiberType:$fiber);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $fiber attr-dict `:` qualified(type($fiber)) (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

#endif // DYNBATCH_IR_FIBEROPS_TD
