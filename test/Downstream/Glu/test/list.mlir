// The gate of a recursive cell is part of its kernel, and the kernel has one batch
// for each depth of the lists; agrees with the reference target.

// RUN: glu-opt %s --dynbatch-normalize --dynbatch-form-blocks --dynbatch-outline-kernels --dynbatch-schedule | FileCheck %s --check-prefix=KERNELS
// RUN: glu-opt %s --pass-pipeline='builtin.module(dynbatch-normalize,dynbatch-form-blocks,dynbatch-outline-kernels,dynbatch-schedule,dynbatch.kernel(dynbatch-batch-kernels))' | FileCheck %s --check-prefix=BATCHED
// RUN: glu-opt %s --dynbatch-pipeline | FileCheck %s --check-prefix=LOWERED
// RUN: glu-opt %s --dynbatch-reference-pipeline | FileCheck %s --check-prefix=LOWERED
// RUN: glu-run %s | FileCheck %s --check-prefix=RESULT

dynbatch.adt @List {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(i32, !dynbatch.adt<@List>)
}
ml_program.global private @E(#ml_program.extern<tensor<7x4xf32>>) : tensor<7x4xf32>
ml_program.global private @W(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>
ml_program.global private @b(#ml_program.extern<tensor<8xf32>>) : tensor<8xf32>

func.func @encode(%list: !dynbatch.adt<@List>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %h = dynbatch.match %list : !dynbatch.adt<@List> -> tensor<4xf32>
    case @Nil() {
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      dynbatch.yield %zero : tensor<4xf32>
    }
    case @Cons(%word: i32, %rest: !dynbatch.adt<@List>) {
      %E = ml_program.global_load_const @E : tensor<7x4xf32>
      %x = dynbatch.lookup %E[%word] : tensor<7x4xf32>, i32 -> tensor<4xf32>
      %r = func.call @encode(%rest) : (!dynbatch.adt<@List>) -> tensor<4xf32>
      %s = arith.addf %x, %r : tensor<4xf32>
      %W = ml_program.global_load_const @W : tensor<8x4xf32>
      %b = ml_program.global_load_const @b : tensor<8xf32>
      %z = linalg.matvec ins(%W, %s : tensor<8x4xf32>, tensor<4xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
      %y = glu.gate %z : tensor<8xf32> -> tensor<4xf32>
      dynbatch.yield %y : tensor<4xf32>
    }
  return %h : tensor<4xf32>
}

// KERNELS:         dynbatch.kernel private @encode_cons
// KERNELS:           linalg.matvec
// KERNELS-NEXT:      glu.gate %{{.*}} : tensor<8xf32> -> tensor<4xf32>
// KERNELS-NOT:     dynbatch.kernel
// KERNELS:         dynbatch.enqueue @encode_cons
// KERNELS-NOT:     dynbatch.enqueue

// BATCHED:         linalg.matmul
// BATCHED-NEXT:    glu.gate %{{.*}} : tensor<?x8xf32> -> tensor<?x4xf32>

// LOWERED-NOT:     glu.
// LOWERED:         llvm.mlir.global external constant @dynbatch_module

// Ten lists of 1 to 10 words: one kernel, ten depths.
// RESULT:          40 scores in 10 batches
// RESULT-NEXT:     largest difference below 1e-5
