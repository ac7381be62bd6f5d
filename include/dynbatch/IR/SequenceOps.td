//===- SequenceOps.td - Sequences -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_SEQUENCEOPS_TD
#define DYNBATCH_IR_SEQUENCEOPS_TD

include "dynbatch/IR/DynbatchTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dynbatch_MakeSeqOp : Dynbatch_Op<"make_seq", [Pure]> {
  let summary = "sequence of the given elements";
  let description = [{
    Example:

    ```mlir
    %s = dynbatch.make_seq %a, %b : !dynbatch.seq<i32>
    %e = dynbatch.make_seq : !dynbatch.seq<i32>
    ```
  }];
  let arguments = (ins Variadic<Dynbatch_DataType>:$elements);
  let results = (outs Dynbatch_SeqType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Dynbatch_LengthOp : Dynbatch_Op<"length", [Pure]> {
  let summary = "number of elements of a sequence";
  let description = [{
    Example:

    ```mlir
    %n = dynbatch.length %s : !dynbatch.seq<i32>
    ```
  }];
  let arguments = (ins Dynbatch_SeqType:$seq);
  let results = (outs Index:$length);
  let assemblyFormat = "$seq attr-dict `:` qualified(type($seq))";
  let hasFolder = 1;
}

// Not Pure: the op can end the run with an error, so no pass may speculate it.
def Dynbatch_GetOp : Dynbatch_Op<"get", [
    NoMemoryEffect, TypesMatchWith<"result is the element type", "seq", "result",
      "::llvm::cast<::mlir::dynbatch::SeqType>($_self).getElementType()">]> {
  let summary = "element of a sequence";
  let description = [{
    An index outside of the sequence ends the run with an error that names the
    instance and the op's location.

    Example:

    ```mlir
    %x = dynbatch.get %s[%i] : !dynbatch.seq<tensor<4xf32>>
    ```
  }];
  let arguments = (ins Dynbatch_SeqType:$seq, Index:$index);
  let results = (outs Dynbatch_DataType:$result);
  let assemblyFormat = [{
    $seq `[` $index `]` attr-dict `:` qualified(type($seq))
  }];
  let hasFolder = 1;
}

def Dynbatch_MapOp : Dynbatch_Op<"map", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "applies a region to every element of sequences";
  let description = [{
    The region gets one element of each input; each value it yields becomes the
    element of one result. Inputs of different lengths end the run with an
    error. Elements are independent of one another.

    Example:

    ```mlir
    %ys = dynbatch.map (%x = %xs : !dynbatch.seq<i32>)
        -> !dynbatch.seq<tensor<4xf32>> {
      %y = dynbatch.lookup %E[%x] : tensor<9x4xf32>, i32 -> tensor<4xf32>
      dynbatch.yield %y : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Dynbatch_SeqType>:$inputs);
  let results = (outs Variadic<Dynbatch_SeqType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Dynbatch_ScanOp : Dynbatch_Op<"scan", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
        ["getEntrySuccessorOperands"]>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "folds over sequences, carrying state";
  let description = [{
    The region gets one element of each input, then the carried values. It
    yields the next carried values, then one element of each output sequence.
    Results are the last carried values (the initial ones when the sequence is
    empty), then the output sequences. With `reverse` the elements are visited
    from the last to the first; an output's element stands at the position of
    the input's element that it was computed from.

    Example:

    ```mlir
    %last, %hs = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>)
        carry(%h = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
      %n = arith.addf %x, %h : tensor<4xf32>
      dynbatch.yield %n, %n : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Dynbatch_SeqType>:$inputs,
                       Variadic<Dynbatch_DataType>:$inits,
                       UnitAttr:$reverse);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Block arguments that carry state.
    ::mlir::Block::BlockArgListType getCarriedArgs() {
      return getBody().getArguments().drop_front(getInputs().size());
    }
  }];
}

#endif // DYNBATCH_IR_SEQUENCEOPS_TD
