// Remarks say what optimisations left alone and why.

// RUN: dynbatch-opt %s --dynbatch-hoist-prologue --remark-format=emitRemark --remarks-filter=dynbatch -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED --implicit-check-not='remark: '
// RUN: dynbatch-opt %s --dynbatch-normalize --dynbatch-form-blocks --remark-format=emitRemark --remarks-filter=dynbatch -o /dev/null 2>&1 | FileCheck %s --check-prefix=CUT --implicit-check-not='remark: '
// RUN: dynbatch-opt %s --dynbatch-normalize --dynbatch-form-blocks=cut-stages=false --remark-format=emitRemark --remarks-filter=dynbatch -o /dev/null 2>&1 | count 0
// RUN: dynbatch-opt %s --dynbatch-hoist-prologue -o /dev/null 2>&1 | count 0

ml_program.global private @D(#ml_program.extern<tensor<4xi32>>) : tensor<4xi32>
ml_program.global private @E(#ml_program.extern<tensor<9x4xf32>>) : tensor<9x4xf32>
ml_program.global private @U(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @W(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>

// A division by zero, and a row that perhaps does not exist.
func.func @fails(%x: tensor<4xi32>, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>) attributes {dynbatch.entry} {
  %D = ml_program.global_load_const @D : tensor<4xi32>
  // MISSED: [[@LINE+1]]:{{[0-9]+}}: remark: [Missed] hoist-prologue{{.*}}'arith.divsi' depends on parameters alone but is not hoisted: it can fail, and the program may never run it
  %d = arith.divsi %D, %D : tensor<4xi32>
  %E = ml_program.global_load_const @E : tensor<9x4xf32>
  %c3 = arith.constant 3 : i32
  // MISSED: [[@LINE+1]]:{{[0-9]+}}: remark: [Missed] hoist-prologue{{.*}}'dynbatch.lookup' depends on parameters alone but is not hoisted: it can fail
  %e = dynbatch.lookup %E[%c3] : tensor<9x4xf32>, i32 -> tensor<4xf32>
  // Depends on more than parameters.
  %0 = arith.divsi %x, %d : tensor<4xi32>
  %1 = arith.addf %y, %e : tensor<4xf32>
  return %0, %1 : tensor<4xi32>, tensor<4xf32>
}

// The product with the input is needed by the recurrence, but not part of it.
func.func @rnn(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4x4xf32>
  %U = ml_program.global_load_const @U : tensor<4x4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %h = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%s = %h0 : tensor<4xf32>) {
    // CUT: [[@LINE+1]]:{{[0-9]+}}: remark: [Analysis] form-blocks{{.*}}2 ops form 2 blocks instead of one, so that those of a recurrence are apart
    %a = linalg.matvec ins(%W, %x : tensor<4x4xf32>, tensor<4xf32>) outs(%zero : tensor<4xf32>) -> tensor<4xf32>
    %b = linalg.matvec ins(%U, %s : tensor<4x4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %b : tensor<4xf32>
  }
  return %h : tensor<4xf32>
}
