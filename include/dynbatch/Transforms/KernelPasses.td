//===- KernelPasses.td - Passes on kernels, in pipeline order -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_KERNELPASSES_TD
#define DYNBATCH_TRANSFORMS_KERNELPASSES_TD

include "mlir/Pass/PassBase.td"

def BatchKernels : Pass<"dynbatch-batch-kernels", "::mlir::dynbatch::KernelOp"> {
  let summary = "make a kernel work on a batch of tasks";
  let description = [{
    Every op that depends on an operand of the task gets a leading batch
    dimension, through `BatchableOpInterface`. Task operands enter through
    `dynbatch.gather`, results leave through `dynbatch.scatter`. Ops on shared
    operands alone stay as they are: they run once a batch. A product of a task's
    vector with a shared matrix becomes a `linalg.matmul`.

    Before:

    ```mlir
    dynbatch.kernel private @k(%x: tensor<8xf32>) -> tensor<4xf32> {
      %W = ml_program.global_load_const @W : tensor<4x8xf32>
      %b = ml_program.global_load_const @b : tensor<4xf32>
      %y = linalg.matvec ins(%W, %x : tensor<4x8xf32>, tensor<8xf32>)
                         outs(%b : tensor<4xf32>) -> tensor<4xf32>
      dynbatch.return %y : tensor<4xf32>
    }
    ```

    After:

    ```mlir
    dynbatch.kernel private @k(%n: index, %x: !dynbatch.rows<tensor<8xf32>>,
                               %r: !dynbatch.rows<tensor<4xf32>>)
        attributes {flops = 64 : i64, task_type = (tensor<8xf32>) -> tensor<4xf32>} {
      %c0 = arith.constant 0 : index
      %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
      %W = ml_program.global_load_const @W : tensor<4x8xf32>
      %b = ml_program.global_load_const @b : tensor<4xf32>
      %e = tensor.empty(%n) : tensor<?x4xf32>
      %B = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<?x4xf32>) dimensions = [0]
      %Y = linalg.matmul indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), (m, n, k) -> (m, n)]
             ins(%X, %W : tensor<?x8xf32>, tensor<4x8xf32>) outs(%B : tensor<?x4xf32>) -> tensor<?x4xf32>
      dynbatch.scatter %Y into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
      dynbatch.return
    }
    ```
  }];
  let statistics = [
    Statistic<"numBatched", "batched", "Ops that got a batch dimension">,
    Statistic<"numShared", "shared", "Ops that run once a batch">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseElementwise
    : Pass<"dynbatch-fuse-elementwise", "::mlir::dynbatch::KernelOp"> {
  let summary = "fuse elementwise linalg ops";
  let description = [{
    Elementwise linalg ops that feed one another become one `linalg.generic`, so
    that their intermediate tensors are never stored. A producer that others
    use too keeps its result as a further result of the fused op. A producer
    that computes something is not fused into an op that would repeat it (a
    broadcast).

    Before:

    ```mlir
    %0 = linalg.exp ins(%a : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = linalg.add ins(%0, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    ```

    After:

    ```mlir
    %1 = linalg.generic {...} ins(%a, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %2 = math.exp %in : f32
      %3 = arith.addf %2, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<?x4xf32>
    ```
  }];
  let statistics = [
    Statistic<"numFused", "fused", "Producers fused into a consumer">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PackWeights : Pass<"dynbatch-pack-weights", "::mlir::dynbatch::KernelOp"> {
  let summary = "contractions with shared matrices on packed panels";
  let description = [{
    A contraction of varying rows with a shared matrix, with a sum in f32,
    becomes `dynbatch.panel_matmul`; the matrix is packed into panels of
    `panel-width` columns. The `linalg.pack` depends on parameters alone, so that
    `dynbatch-hoist-prologue` can have it done when a model is loaded. A task may
    have a vector or a matrix of rows.

    A matrix of f16 or bf16 whose elements the contraction extends stays as it is
    in its panels. Rows of such elements are extended first.

    Before:

    ```mlir
    %Y = linalg.matmul ins(%X, %W : tensor<?x8xf32>, tensor<8x4xf32>)
                       outs(%B : tensor<?x4xf32>) -> tensor<?x4xf32>
    ```

    After:

    ```mlir
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x8x32xf32>
    %P = linalg.pack %W padding_value(%zero : f32) outer_dims_perm = [1, 0]
           inner_dims_pos = [1] inner_tiles = [32] into %e : tensor<8x4xf32> -> tensor<1x8x32xf32>
    %Y = dynbatch.panel_matmul ins(%X, %P : tensor<?x8xf32>, tensor<1x8x32xf32>)
                               outs(%B : tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let options = [
    Option<"panelWidth", "panel-width", "int64_t", /*default=*/"32",
           "Columns of a panel; two vector registers of the target are best">
  ];
  let statistics = [
    Statistic<"numPacked", "packed", "Contractions that use packed weights">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseGathers : Pass<"dynbatch-fuse-gathers", "::mlir::dynbatch::KernelOp"> {
  let summary = "tile a batched kernel so that no whole batch is copied";
  let description = [{
    All ops of a batched kernel work row by row, so that the kernel can run tile
    by tile. In a tile, a `dynbatch.panel_matmul` works on all rows and reads
    gathered ones through their pointers; the ops between two contractions run
    row by row in one loop. Only what a contraction reads or writes, or what is
    needed after the next one, is stored for the rows of a tile. A kernel without
    such a contraction becomes one loop over all rows.

    A product of a vector with a large matrix that the task brings along, such as
    an expert's of a mixture, is a contraction, too: all tasks of a tile multiply
    by one block of their matrices, then by the next. The kernel's `order_by` then
    asks for tasks with the same matrix one after the other.

    Before:

    ```mlir
    %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
    %Y = dynbatch.panel_matmul ins(%X, %P : tensor<?x8xf32>, tensor<1x8x32xf32>)
                               outs(%B : tensor<?x4xf32>) -> tensor<?x4xf32>
    %Z = linalg.exp ins(%Y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    dynbatch.scatter %Z into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
    ```

    After:

    ```mlir
    scf.for %first = %c0 to %n step %c48 {
      %left = arith.subi %n, %first : index
      %count = arith.minui %left, %c48 : index
      %tile = tensor.empty() : tensor<48x4xf32>
      ...                           // row loop: the accumulator's initial value
      %Y = dynbatch.panel_matmul ins(%x[%first], %P : ...) outs(%acc : tensor<?x4xf32>) -> tensor<?x4xf32>
      scf.for %r = %c0 to %count step %c1 {
        %y = tensor.extract_slice %Y[%r, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<1x4xf32>
        %z = linalg.exp ins(%y : tensor<1x4xf32>) outs(%e1 : tensor<1x4xf32>) -> tensor<1x4xf32>
        %task = arith.addi %first, %r : index
        dynbatch.scatter %z into %r[%task] : tensor<1x4xf32>, !dynbatch.rows<tensor<4xf32>>
      }
    }
    ```
  }];
  let options = [
    Option<"tileRows", "tile-rows", "int64_t", /*default=*/"0",
           "Tasks of a tile; 0 leaves the choice to the cost model">,
    Option<"l2Bytes", "l2-bytes", "int64_t", /*default=*/"1048576",
           "Size of the second-level cache of a core">,
    ListOption<"measured", "measured", "std::string",
               "Tasks of the tiles of single kernels, KEY:TASKS, as found by "
               "dynbatch-tune; these count most">
  ];
  let statistics = [
    Statistic<"numGathers", "gathers", "Gathers read through their pointers">,
    Statistic<"numLoops", "row-loops", "Row loops made">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // DYNBATCH_TRANSFORMS_KERNELPASSES_TD
