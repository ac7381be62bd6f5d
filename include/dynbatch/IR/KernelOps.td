//===- KernelOps.td - Kernels, tasks and batches -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_KERNELOPS_TD
#define DYNBATCH_IR_KERNELOPS_TD

include "dynbatch/IR/DynbatchTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dynbatch_Turn : I32EnumAttr<"Turn", "when a kernel runs in a round", [
    I32EnumAttrCase<"First", 0, "first">, I32EnumAttrCase<"Once", 1, "once">,
    I32EnumAttrCase<"Steps", 2, "steps">]> {
  let cppNamespace = "::mlir::dynbatch";
  let genSpecializedAttr = 0;
}

def Dynbatch_TurnAttr : EnumAttr<Dynbatch_Dialect, Dynbatch_Turn, "turn"> {
  let summary = "when the tasks of a kernel run in a round of their stage";
  let description = [{
    A cyclic stage that is split runs in rounds: the kernels whose turn is
    `first` have one batch at the beginning of a round; then each other kernel
    has its turn, in the order of `part`: `once`, or, when it may depend on
    itself, in `steps`, one batch each.

    A depth in such a stage is the round and, in its lowest 12 bits, the step
    (0 without steps).
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Dynbatch_KernelOp : Dynbatch_Op<"kernel", [
    AffineScope, AutomaticAllocationScope, FunctionOpInterface,
    HasParent<"::mlir::ModuleOp">, IsolatedFromAbove, SingleBlock]> {
  let summary = "outlined static block";
  let description = [{
    First per instance: arguments and results are those of one task. Shared
    operands are not arguments; the body loads them with
    `ml_program.global_load_const`.

    `dynbatch-batch-kernels` makes it batched: arguments are then the number of
    tasks, one `!dynbatch.rows` for each task operand and one for each task
    result; nothing is returned; `task_type` keeps the signature of one task.

    `stage` and `cyclic` are set by `dynbatch-schedule`: the position in the
    schedule, and whether tasks of this stage can depend on one another; `turn`
    and `part` say how a split cyclic stage goes on. `flops` counts the
    floating-point operations of one task. `tuning_key` is set by
    `dynbatch-fuse-gathers` where it made tiles: what a measurement of their size
    is filed under. `order_by` is the number of an operand, large matrices of
    which tasks may share: a batch runs best with its tasks ordered by address.

    A kernel that was lowered for a target has no body; `implementation` names
    the function `(rows, count, scratch, params)` of the runtime ABI. A call
    needs `scratch_bytes` of scratch memory, and `row_scratch_bytes` for each
    row of the call behind them.

    Example:

    ```mlir
    dynbatch.kernel private @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      dynbatch.return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<TypeAttrOf<FunctionType>>:$task_type,
                       OptionalAttr<I64Attr>:$stage, UnitAttr:$cyclic,
                       OptionalAttr<Dynbatch_TurnAttr>:$turn,
                       OptionalAttr<I64Attr>:$part,
                       OptionalAttr<I64Attr>:$flops,
                       OptionalAttr<StrAttr>:$tuning_key,
                       OptionalAttr<I64Attr>:$order_by,
                       OptionalAttr<FlatSymbolRefAttr>:$implementation,
                       OptionalAttr<I64Attr>:$scratch_bytes,
                       OptionalAttr<I64Attr>:$row_scratch_bytes);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
                                 "::mlir::FunctionType":$type)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the kernel works on a batch of tasks.
    bool isBatched() { return static_cast<bool>(getTaskTypeAttr()); }
    /// Operand and result types of one task.
    ::mlir::FunctionType getTaskSignature() {
      return isBatched() ? *getTaskType() : getFunctionType();
    }
    /// Batched kernels only: the number of tasks (index).
    ::mlir::BlockArgument getBatchSize() { return getArgument(0); }
    /// Batched kernels only: the rows of the task operands.
    ::llvm::ArrayRef<::mlir::BlockArgument> getOperandRows() {
      return getArguments().slice(1, getTaskSignature().getNumInputs());
    }
    /// Batched kernels only: the rows of the task results.
    ::llvm::ArrayRef<::mlir::BlockArgument> getResultRows() {
      return getArguments().drop_front(1 + getTaskSignature().getNumInputs());
    }

    //===------------------------------------------------------------------===//
    // FunctionOpInterface
    //===------------------------------------------------------------------===//
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
}

def Dynbatch_ReturnOp : Dynbatch_Op<"return", [
    Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "ends a kernel";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Dynbatch_EnqueueOp : Dynbatch_Op<"enqueue", [
    AttrSizedOperandSegments, Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "makes a task of a kernel";
  let description = [{
    The results are tensors that the next flush computes. `depth` (made by
    `dynbatch-schedule`) is the task's depth in its kernel's stage; a kernel
    whose stage is not cyclic has none.

    Example:

    ```mlir
    %h = dynbatch.enqueue @cell(%x, %h0) depth(%d)
       : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<Dynbatch_DataType>:$taskOperands,
                       Optional<Index>:$depth);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $taskOperands `)` (`depth` `(` $depth^ `)`)? attr-dict `:`
    functional-type($taskOperands, $results)
  }];
}

def Dynbatch_DepthOp : Dynbatch_Op<"depth", [Pure]> {
  let summary = "depth of a tensor in a stage";
  let description = [{
    The depth of the task that computes the tensor when that task stands in
    `stage` and is still pending, 0 otherwise.

    Example:

    ```mlir
    %d = dynbatch.depth %h in 1 : tensor<4xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tensor, I64Attr:$stage);
  let results = (outs Index:$depth);
  let assemblyFormat = "$tensor `in` $stage attr-dict `:` type($tensor)";
  let hasFolder = 1;
}

def Dynbatch_DefineOp : Dynbatch_Op<"define", [
    MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "gives a derived parameter its value";
  let description = [{
    Stands in the prologue. The global it names is immutable and external for
    everyone else: it has its value before any other code of the program runs.

    Example:

    ```mlir
    dynbatch.define @W_panels = %p : tensor<24x256x32xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$global,
                       AnyStaticShapeTensor:$value);
  let assemblyFormat = "$global `=` $value attr-dict `:` type($value)";
}

def Dynbatch_GatherOp : Dynbatch_Op<"gather", [Pure]> {
  let summary = "rows of a varying operand as one tensor";
  let description = [{
    Rows `first` to `first + count` of the batch. When `count` is a constant the
    result's leading dimension is static.

    Example:

    ```mlir
    %H = dynbatch.gather %h[%first, %count]
       : !dynbatch.rows<tensor<256xf32>> -> tensor<?x256xf32>
    ```
  }];
  let arguments = (ins Dynbatch_RowsType:$rows, Index:$first, Index:$count);
  let results = (outs AnyRankedTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$rows, "::mlir::Value":$first,
                                 "::mlir::OpFoldResult":$count)>];
  let assemblyFormat = [{
    $rows `[` $first `,` $count `]` attr-dict `:` qualified(type($rows)) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Dynbatch_ScatterOp : Dynbatch_Op<"scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a tensor as rows of a result";
  let description = [{
    Row `i` of the tensor becomes the result of task `first + i`.

    Example:

    ```mlir
    dynbatch.scatter %H into %out[%first]
      : tensor<?x256xf32>, !dynbatch.rows<tensor<256xf32>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tensor, Dynbatch_RowsType:$rows,
                       Index:$first);
  let assemblyFormat = [{
    $tensor `into` $rows `[` $first `]` attr-dict `:` type($tensor) `,`
    qualified(type($rows))
  }];
  let hasVerifier = 1;
}

def Dynbatch_PanelMatmulOp : Dynbatch_Op<"panel_matmul", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "contraction of rows with weights packed into panels";
  let description = [{
    `acc[r, n] += sum over k of lhs[r, k] * weights[n / P, k, n % P]`, for weights
    of type `tensor<ceil(N/P) x K x P>`; columns beyond `N` are padding. Each
    element is one chain of fused multiply-adds over `k` in ascending order,
    whatever the number of rows: a row's result does not depend on the batch
    that it is part of.

    `lhs` is a tensor (memref) `[rows, K]`, or a varying operand, whose rows
    `first`, `first + 1`, ... are then read through their pointers. A task may
    also have a matrix of rows: `lhs` is then `[tasks, R, K]`, or a varying
    operand of `R x K` matrices, and the accumulator `[tasks, R, N]`.

    Rows and accumulator are f32. Weights may also be f16 or bf16, and are then
    extended in registers: half as many bytes are read, and nothing is rounded.

    Example:

    ```mlir
    %z = dynbatch.panel_matmul
      ins(%h[%first], %W : !dynbatch.rows<tensor<256xf32>>, tensor<40x256x32xf32>)
      outs(%acc : tensor<?x1280xf32>) -> tensor<?x1280xf32>
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef,
                                  Dynbatch_RowsType]>:$lhs,
                       Optional<Index>:$first,
                       AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef]>:$weights,
                       AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>:$acc);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $lhs (`[` $first^ `]`)? `,` $weights `:` type($lhs) `,`
    type($weights) `)` `outs` `(` $acc `:` type($acc) `)` attr-dict
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getAccMutable();
    }
  }];
}

#endif // DYNBATCH_IR_KERNELOPS_TD
