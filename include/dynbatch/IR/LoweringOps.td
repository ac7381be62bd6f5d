//===- LoweringOps.td - Ops below convert-dynbatch-to-scf -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_LOWERINGOPS_TD
#define DYNBATCH_IR_LOWERINGOPS_TD

include "dynbatch/IR/DynbatchTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dynbatch_TagOp : Dynbatch_Op<"tag", [Pure]> {
  let summary = "position of the constructor that built a value";
  let description = [{
    Example:

    ```mlir
    %tag = dynbatch.tag %tree : !dynbatch.adt<@Tree>
    ```
  }];
  let arguments = (ins Dynbatch_AdtType:$value);
  let results = (outs Index:$tag);
  let assemblyFormat = "$value attr-dict `:` qualified(type($value))";
}

// Not Pure: undefined where the tag was not tested, so no pass may speculate it.
def Dynbatch_FieldOp : Dynbatch_Op<"field", [
    NoMemoryEffect, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "field of a value that a known constructor built";
  let description = [{
    Undefined when another constructor built the value: stands where the tag was
    tested.

    Example:

    ```mlir
    %l = dynbatch.field @Node[0] of %tree
       : !dynbatch.adt<@Tree> -> !dynbatch.adt<@Tree>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$ctor, I64Attr:$position,
                       Dynbatch_AdtType:$value);
  let results = (outs Dynbatch_DataType:$result);
  let assemblyFormat = [{
    $ctor `[` $position `]` `of` $value attr-dict `:` qualified(type($value))
    `->` type($result)
  }];
}

def Dynbatch_SeqAllocOp : Dynbatch_Op<"seq_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "sequence whose elements are stored afterwards";
  let description = [{
    Example:

    ```mlir
    %s = dynbatch.seq_alloc %n : !dynbatch.seq<i32>
    ```
  }];
  let arguments = (ins Index:$length);
  let results = (outs Dynbatch_SeqType:$result);
  let assemblyFormat = "$length attr-dict `:` qualified(type($result))";
}

def Dynbatch_SeqSetOp : Dynbatch_Op<"seq_set", [
    MemoryEffects<[MemWrite]>,
    TypesMatchWith<"value is the element type", "seq", "value",
      "::llvm::cast<::mlir::dynbatch::SeqType>($_self).getElementType()">]> {
  let summary = "stores an element of a sequence under construction";
  let description = [{
    Example:

    ```mlir
    dynbatch.seq_set %s[%i] = %x : !dynbatch.seq<i32>
    ```
  }];
  let arguments = (ins Dynbatch_SeqType:$seq, Index:$index,
                       Dynbatch_DataType:$value);
  let assemblyFormat = [{
    $seq `[` $index `]` `=` $value attr-dict `:` qualified(type($seq))
  }];
}

def Dynbatch_CheckIndexOp : Dynbatch_Op<"check_index", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "ends the run with an error unless 0 <= index < size";
  let description = [{
    `what` and the op's location are part of the message.

    Example:

    ```mlir
    dynbatch.check_index %i, %n, "lookup"
    ```
  }];
  let arguments = (ins Index:$index, Index:$size, StrAttr:$what);
  let assemblyFormat = "$index `,` $size `,` $what attr-dict";
}

def Dynbatch_RowOp : Dynbatch_Op<"row", [Pure]> {
  let summary = "one row of a varying operand or result as a buffer";
  let description = [{
    A view of the storage that the row's pointer names; nothing is copied. The
    leading dimension of the buffer has size 1. Scalar rows give the table's own
    word.

    Example:

    ```mlir
    %m = dynbatch.row %h[%i] : !dynbatch.rows<tensor<256xf32>> -> memref<1x256xf32>
    ```
  }];
  let arguments = (ins Dynbatch_RowsType:$rows, Index:$index);
  let results = (outs AnyStaticShapeMemRef:$result);
  let assemblyFormat = [{
    $rows `[` $index `]` attr-dict `:` qualified(type($rows)) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // DYNBATCH_IR_LOWERINGOPS_TD
