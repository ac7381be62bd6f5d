//===- DynbatchBase.td - Dialect definition -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_DYNBATCHBASE_TD
#define DYNBATCH_IR_DYNBATCHBASE_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Dynbatch_Dialect : Dialect {
  let name = "dynbatch";
  let cppNamespace = "::mlir::dynbatch";
  let summary = "Auto-batching of recursive and conditional tensor programs";
  let description = [{
    The `dynbatch` dialect models tensor programs with recursion, data
    structures and conditionals that are written for ONE instance, and the
    kernels, tasks and batches into which the pipeline turns them.

    Ops fall into groups: *data* (algebraic data types and sequences), *tensor
    access* (`lookup`, `read`), *static blocks and kernels* (`block`, `kernel`,
    `enqueue`, `depth`), *batched kernels* (`gather`, `scatter`,
    `panel_matmul`), and *lowered data* (`tag`, `field`, `seq_alloc`, ...),
    which only appears below `convert-dynbatch-to-scf`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];

  let extraClassDeclaration = [{
    /// Unit attribute that marks the entry function of an instance program.
    static constexpr ::llvm::StringLiteral kEntryAttrName = "dynbatch.entry";
    /// Unit attribute that marks the function that computes derived parameters.
    static constexpr ::llvm::StringLiteral kPrologueAttrName =
        "dynbatch.prologue";
  }];
}

class Dynbatch_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dynbatch_Dialect, mnemonic, traits>;

#endif // DYNBATCH_IR_DYNBATCHBASE_TD
