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
    `linalg.generic`; an output operand that is not read becomes
    `tensor.empty`. A `tensor.extract` in host code is a forced read and becomes
    `dynbatch.read`. Constants in resources become those of their elements.
    Private functions that nothing refers to any more go away.

    Before:

    ```mlir
    func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%a: tensor<4xf32>) -> f32 attributes {dynbatch.entry} {
      %c0 = arith.constant 0 : index
      %0 = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = tensor.extract %0[%c0] : tensor<4xf32>
      return %1 : f32
    }
    ```

    After:

    ```mlir
    #id = affine_map<(d0) -> (d0)>
    func.func @main(%a: tensor<4xf32>) -> f32 attributes {dynbatch.entry} {
      %c0 = arith.constant 0 : index
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32, %out: f32):
        %3 = arith.addf %x, %y : f32
        linalg.yield %3 : f32
      } -> tensor<4xf32>
      %2 = dynbatch.read %1[%c0] : tensor<4xf32>
      return %2 : f32
    }
    ```
  }];
  let statistics = [
    Statistic<"numInlined", "inlined", "Calls inlined">,
    Statistic<"numReads", "reads", "Forced reads made explicit">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FoldWidening : Pass<"dynbatch-fold-widening", "::mlir::ModuleOp"> {
  let summary = "keep parameters of f16 and bf16 as narrow as they are stored";
  let description = [{
    A parameter of f16 or bf16 that is extended to f32 as a whole would become a
    derived parameter of twice its size. A matrix of a `linalg.matvec`, `vecmat`
    or `matmul` is not extended, but multiplied as it is: the op extends each
    element. Of a table that rows are looked up in, each row is extended instead.
    No value changes.

    Before:

    ```mlir
    #id = affine_map<(d0, d1) -> (d0, d1)>
    ml_program.global private @W(#ml_program.extern<tensor<8x4xbf16>>) : tensor<8x4xbf16>
    func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> attributes {dynbatch.entry} {
      %W = ml_program.global_load_const @W : tensor<8x4xbf16>
      %e = tensor.empty() : tensor<8x4xf32>
      %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%W : tensor<8x4xbf16>) outs(%e : tensor<8x4xf32>) {
      ^bb0(%w: bf16, %out: f32):
        %v = arith.extf %w : bf16 to f32
        linalg.yield %v : f32
      } -> tensor<8x4xf32>
      %z = linalg.matvec ins(%wide, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
      return %z : tensor<8xf32>
    }
    ```

    After:

    ```mlir
    ml_program.global private @W(#ml_program.extern<tensor<8x4xbf16>>) : tensor<8x4xbf16>
    func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> attributes {dynbatch.entry} {
      %W = ml_program.global_load_const @W : tensor<8x4xbf16>
      %z = linalg.matvec ins(%W, %x : tensor<8x4xbf16>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
      return %z : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistPrologue : Pass<"dynbatch-hoist-prologue", "::mlir::ModuleOp"> {
  let summary = "move work on parameters alone into the prologue";
  let description = [{
    A tensor that depends on parameters and constants alone (SharingAnalysis) is
    computed once, when the program is loaded: transposes, concatenations,
    packing into register panels. It becomes a derived parameter, a global of
    its own that `@prologue` defines. Ops are moved from host functions and from
    kernels; equal expressions are computed once. What depends on constants only
    stays where it is, and so does what can fail, such as a lookup: the program
    perhaps never runs it.

    With `constants=true`, for targets with memory of their own, constant tensors
    of host code become derived parameters as well: tasks can read them then.
    Those of kernels stay. This is meant for programs whose kernels are outlined.

    Before:

    ```mlir
    ml_program.global private @W(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>
    func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
      %W = ml_program.global_load_const @W : tensor<8x4xf32>
      %e = tensor.empty() : tensor<4x8xf32>
      %t = linalg.transpose ins(%W : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
      %z = linalg.matvec ins(%t, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    ml_program.global private @W(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>
    ml_program.global private @W_transpose(#ml_program.extern : tensor<4x8xf32>) : tensor<4x8xf32>
    func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
      %t = ml_program.global_load_const @W_transpose : tensor<4x8xf32>
      %z = linalg.matvec ins(%t, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    func.func private @prologue() attributes {dynbatch.prologue} {
      %e = tensor.empty() : tensor<4x8xf32>
      %W = ml_program.global_load_const @W : tensor<8x4xf32>
      %t = linalg.transpose ins(%W : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
      dynbatch.define @W_transpose = %t : tensor<4x8xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"constants", "constants", "bool", /*default=*/"false",
           "Constant tensors of host code become parameters, too">
  ];
  let statistics = [
    Statistic<"numDerived", "derived", "Derived parameters made">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::ml_program::MLProgramDialect"];
}

def FormBlocks : Pass<"dynbatch-form-blocks", "::mlir::ModuleOp"> {
  let summary = "group tensor ops into static blocks";
  let description = [{
    In every basic block of host code, tensor ops that need the same results of
    calls and control flow form one `dynbatch.block`: the unit of scheduling
    (grain-size coarsening). Programs are pure, so host ops are reordered where
    that makes a block larger. Constants and parameters are not captured: each
    block has its own. A view of a table (`dynbatch.lookup`) stays in host code.

    A block never mixes ops of different stages: ops on a cycle of the program's
    data flow (through recursion, loops and data structures) are kept apart from
    those that only feed it or only use its results. So the input projection of a
    recurrent cell leaves the recurrence, and runs in one batch over all tokens
    of all instances (operator hoisting). With `cut-stages=false` it stays.

    A tensor op that is neither batchable nor control flow is an error that says
    why, and so are side effects and indirect calls. Dead and unreachable ops are
    erased. With `coarsen=false` every tensor op is a block of its own.

    Before:

    ```mlir
    func.func private @encode(%t: !dynbatch.adt<@Tree>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %h = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
        case @Leaf(%x: tensor<4xf32>) {
          dynbatch.yield %x : tensor<4xf32>
        }
        case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
          %hl = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
          %a = linalg.exp ins(%hl : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %hr = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
          %b = linalg.add ins(%a, %hr : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          dynbatch.yield %b : tensor<4xf32>
        }
      return %h : tensor<4xf32>
    }
    dynbatch.adt @Tree {
      dynbatch.ctor @Leaf(tensor<4xf32>)
      dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
    }
    ```

    After:

    ```mlir
    func.func private @encode(%t: !dynbatch.adt<@Tree>) -> tensor<4xf32> {
      %h = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
        case @Leaf(%x: tensor<4xf32>) {
          dynbatch.yield %x : tensor<4xf32>
        }
        case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
          %hl = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
          %hr = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
          %b = dynbatch.block -> tensor<4xf32> {
            %e = tensor.empty() : tensor<4xf32>
            %a = linalg.exp ins(%hl : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
            %0 = linalg.add ins(%a, %hr : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
            dynbatch.yield %0 : tensor<4xf32>
          }
          dynbatch.yield %b : tensor<4xf32>
        }
      return %h : tensor<4xf32>
    }
    dynbatch.adt @Tree {
      dynbatch.ctor @Leaf(tensor<4xf32>)
      dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
    }
    ```
  }];
  let options = [
    Option<"coarsen", "coarsen", "bool", /*default=*/"true",
           "Group tensor ops; otherwise every op is a block of its own">,
    Option<"cutStages", "cut-stages", "bool", /*default=*/"true",
           "Keep ops of a recurrence apart from ops that feed or use it">
  ];
  let statistics = [
    Statistic<"numBlocks", "blocks", "Static blocks formed">,
    Statistic<"numOps", "ops", "Tensor ops in static blocks">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect"];
}

def OutlineKernels : Pass<"dynbatch-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "turn static blocks into kernels and enqueues";
  let description = [{
    Every `dynbatch.block` becomes a `dynbatch.kernel` and a `dynbatch.enqueue`
    of it. Captured values are the operands of the task; a captured value that is
    always the same parameter (SharingAnalysis) is loaded in the kernel instead,
    and a constant is copied. Blocks that are equal up to locations, including
    all attributes, constants and types, share one kernel (`merge=false` keeps
    them apart). Blocks before, in and behind a recursion do not share one: all
    their tasks would become steps of the recursion.

    Before:

    ```mlir
    ml_program.global private @b(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
      %b = ml_program.global_load_const @b : tensor<4xf32>
      %y = dynbatch.block -> tensor<4xf32> {
        %e = tensor.empty() : tensor<4xf32>
        %0 = linalg.add ins(%x, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        dynbatch.yield %0 : tensor<4xf32>
      }
      return %y : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    ml_program.global private @b(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
    dynbatch.kernel private @main_0(%x: tensor<4xf32>) -> tensor<4xf32> {
      %b = ml_program.global_load_const @b : tensor<4xf32>
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.add ins(%x, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      dynbatch.return %0 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
      %b = ml_program.global_load_const @b : tensor<4xf32>
      %y = dynbatch.enqueue @main_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"merge", "merge", "bool", /*default=*/"true",
           "Let equal blocks share one kernel">
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">,
    Statistic<"numMerged", "merged", "Blocks that share an earlier kernel">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect",
                           "::mlir::ml_program::MLProgramDialect"];
}

def Schedule : Pass<"dynbatch-schedule", "::mlir::ModuleOp"> {
  let summary = "order kernels in stages and make depths explicit";
  let description = [{
    The kernel dependence graph has an edge from K1 to K2 when a tensor made by
    K1 may be an operand of K2 (RecurrenceAnalysis: through calls, ADT fields and
    sequences). Its strongly connected components in topological order are the
    stages. A kernel on no cycle needs no depth: all its tasks of a flush run in
    one batch. In a cyclic stage the depth of a task is one more than the largest
    depth among its operands made in that same stage; it is an SSA value. Where
    calls cannot be followed, any kernel may have made an operand.

    With `align`, cyclic stages that differ only in the parameters they use and
    cannot depend on each other become one: both directions of a bidirectional
    network advance step by step together. And a stage of several kernels is
    split where that is possible: some of its kernels have the turn `first`, so
    that the others no longer depend on one another in a circle, but at most on
    themselves. A depth then is a round, which counts `first` tasks only, and a
    step, which counts those of a kernel that depends on itself inside of the
    round. Branches and inner loops of different lengths so end in the same
    round, which is what ghost operators do in ACRoBat.

    With `stages=false` all kernels form one stage, and a depth is one more than
    that of any pending operand.

    Before:

    ```mlir
    dynbatch.kernel private @project(%x: tensor<4xf32>) -> tensor<4xf32> {
      dynbatch.return %x : tensor<4xf32>
    }
    dynbatch.kernel private @step(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
      dynbatch.return %h : tensor<4xf32>
    }
    func.func @main(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
      %last = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) {
        %p = dynbatch.enqueue @project(%x) : (tensor<4xf32>) -> tensor<4xf32>
        %n = dynbatch.enqueue @step(%p, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        dynbatch.yield %n : tensor<4xf32>
      }
      return %last : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    dynbatch.kernel private @project(%x: tensor<4xf32>) -> tensor<4xf32> attributes {stage = 0 : i64} {
      dynbatch.return %x : tensor<4xf32>
    }
    dynbatch.kernel private @step(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> attributes {cyclic, stage = 1 : i64} {
      dynbatch.return %h : tensor<4xf32>
    }
    func.func @main(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
      %last = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) {
        %p = dynbatch.enqueue @project(%x) : (tensor<4xf32>) -> tensor<4xf32>
        %0 = dynbatch.depth %h in 1 : tensor<4xf32>
        %c1 = arith.constant 1 : index
        %d = arith.addi %0, %c1 : index
        %n = dynbatch.enqueue @step(%p, %h) depth(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        dynbatch.yield %n : tensor<4xf32>
      }
      return %last : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"stages", "stages", "bool", /*default=*/"true",
           "Run kernels that do not depend on one another in a circle in "
           "stages one after the other">,
    Option<"align", "align", "bool", /*default=*/"true",
           "Let equal independent stages advance together, and branches of "
           "different lengths end together">
  ];
  let statistics = [
    Statistic<"numStages", "stages", "Stages">,
    Statistic<"numCyclic", "cyclic", "Cyclic stages">,
    Statistic<"numJoined", "joined", "Stages that joined an equal one">,
    Statistic<"numSplit", "split", "Cyclic stages that run in rounds">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // DYNBATCH_TRANSFORMS_PROGRAMPASSES_TD
