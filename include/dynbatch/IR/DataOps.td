//===- DataOps.td - Algebraic data types -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_DATAOPS_TD
#define DYNBATCH_IR_DATAOPS_TD

include "dynbatch/IR/DynbatchTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dynbatch_AdtOp : Dynbatch_Op<"adt", [
    HasParent<"::mlir::ModuleOp">, IsolatedFromAbove, NoTerminator,
    SingleBlock, Symbol, SymbolTable]> {
  let summary = "declares an algebraic data type";
  let description = [{
    The body lists the constructors, in the order of their tags.

    Example:

    ```mlir
    dynbatch.adt @Tree {
      dynbatch.ctor @Leaf(i32)
      dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The constructors in tag order.
    auto getCtors() { return getBody().getOps<CtorOp>(); }
    /// Position of constructor `name`, or failure if there is none.
    ::llvm::FailureOr<int64_t> getTag(::llvm::StringRef name);
    /// Types refer to it, and symbol uses do not count those.
    bool canDiscardOnUseEmpty() { return false; }
  }];
}

def Dynbatch_CtorOp : Dynbatch_Op<"ctor", [HasParent<"AdtOp">, Symbol]> {
  let summary = "declares a constructor of an algebraic data type";
  let description = [{
    Field types are scalars, tensors of static shape, ADTs and sequences.

    Example:

    ```mlir
    dynbatch.adt @List {
      dynbatch.ctor @Nil()
      dynbatch.ctor @Cons(tensor<4xf32>, !dynbatch.adt<@List>)
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$fields);
  let assemblyFormat = "$sym_name `` custom<FieldTypes>($fields) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Field types in order.
    ::llvm::SmallVector<::mlir::Type> getFieldTypes() {
      return ::llvm::to_vector(getFields().getAsValueRange<::mlir::TypeAttr>());
    }
    /// Its position is the tag of all constructors after it.
    bool canDiscardOnUseEmpty() { return false; }
  }];
}

def Dynbatch_ConstructOp : Dynbatch_Op<"construct", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "builds a value of an algebraic data type";
  let description = [{
    Example:

    ```mlir
    %t = dynbatch.construct @Node(%l, %r)
       : (!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$ctor,
                       Variadic<Dynbatch_DataType>:$fields);
  let results = (outs Dynbatch_AdtType:$result);
  let assemblyFormat = [{
    $ctor `(` $fields `)` attr-dict `:` functional-type($fields, $result)
  }];
}

def Dynbatch_MatchOp : Dynbatch_Op<"match", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
        ["getRegionInvocationBounds"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "takes apart a value of an algebraic data type";
  let description = [{
    Exactly one region runs: that of the constructor that built the value. Its
    arguments are the constructor's fields. Every constructor of the type needs
    its case; the order of cases is free.

    Example:

    ```mlir
    %n = dynbatch.match %tree : !dynbatch.adt<@Tree> -> i32
      case @Leaf(%word: i32) {
        dynbatch.yield %word : i32
      }
      case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
        dynbatch.yield %c0 : i32
      }
    ```
  }];
  let arguments = (ins Dynbatch_AdtType:$scrutinee,
                       FlatSymbolRefArrayAttr:$cases);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$caseRegions);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Dynbatch_YieldOp : Dynbatch_Op<"yield", [
    Pure, Terminator, ParentOneOf<["MatchOp", "MapOp", "ScanOp", "BlockOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "ends a region and gives its values to the enclosing op";
  let description = [{
    Example:

    ```mlir
    dynbatch.yield %h, %c : tensor<256xf32>, tensor<256xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ /* nothing to add */ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // DYNBATCH_IR_DATAOPS_TD
