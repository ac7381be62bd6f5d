//===- DynbatchTypes.td - Types -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_DYNBATCHTYPES_TD
#define DYNBATCH_IR_DYNBATCHTYPES_TD

include "dynbatch/IR/DynbatchBase.td"
include "mlir/IR/AttrTypeBase.td"

class Dynbatch_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Dynbatch_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Dynbatch_AdtType : Dynbatch_Type<"Adt", "adt"> {
  let summary = "value of an algebraic data type";
  let description = [{
    A value of the algebraic data type that the `dynbatch.adt` op of that name
    declares. Types refer to declarations by name, so that they can be
    recursive and mutually recursive.

    Example: `!dynbatch.adt<@Tree>`
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$name);
  let assemblyFormat = "`<` $name `>`";
  let builders = [TypeBuilderWithInferredContext<(ins
      "::mlir::FlatSymbolRefAttr":$name), [{
    return $_get(name.getContext(), name);
  }]>];
}

def Dynbatch_SeqType : Dynbatch_Type<"Seq", "seq"> {
  let summary = "sequence of values, its length known at run time";
  let description = [{
    The element type is a scalar, a tensor of static shape, an algebraic data
    type or a sequence.

    Example: `!dynbatch.seq<tensor<256xf32>>`
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins
      "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), elementType);
  }]>];
}

def Dynbatch_RowsType : Dynbatch_Type<"Rows", "rows"> {
  let summary = "one tensor (or scalar) per task of a batch";
  let description = [{
    A varying operand or a result of a batched kernel: for every task the
    address of its tensor, or the scalar itself. It is a column of the pointer
    table that `dynbatch.enqueue` writes.

    Example: `!dynbatch.rows<tensor<256xf32>>`
  }];
  let parameters = (ins "::mlir::Type":$rowType);
  let assemblyFormat = "`<` $rowType `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins
      "::mlir::Type":$rowType), [{
    return $_get(rowType.getContext(), rowType);
  }]>];
  let extraClassDeclaration = [{
    /// The type of `batchSize` rows as one tensor: a leading dimension is put
    /// before the row's. `batchSize` may be ShapedType::kDynamic.
    ::mlir::RankedTensorType getBatchedType(int64_t batchSize);
  }];
}

def Dynbatch_FiberType : Dynbatch_Type<"Fiber", "fiber"> {
  let summary = "a call that may be parked, and its results to come";
  let description = [{
    What `dynbatch.spawn` gives and `dynbatch.join` takes.

    Example: `!dynbatch.fiber<tensor<4xf32>, i32>`
  }];
  let parameters = (ins OptionalArrayRefParameter<"::mlir::Type">:$resultTypes);
  let assemblyFormat = "(`<` $resultTypes^ `>`)?";
}

def Dynbatch_ScalarType : Type<
    CPred<"($_self.isIntOrIndexOrFloat())">, "integer, index or float">;

def Dynbatch_DataType : Type<
    CPred<"::mlir::dynbatch::isDataType($_self)">,
    "scalar, tensor of static shape, ADT or sequence">;

#endif // DYNBATCH_IR_DYNBATCHTYPES_TD
