// RUN: dynbatch-opt %s --dynbatch-form-blocks | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-form-blocks="cut-stages=false" | FileCheck %s --check-prefix=WHOLE

// The projection of the input and the output layer depend on the step, but the
// step does not depend on them: each is a block of its own.

// CHECK-LABEL: func.func @rnn
// CHECK:         dynbatch.scan
// CHECK:           %[[P:.*]] = dynbatch.block
// CHECK:             ml_program.global_load_const @W
// CHECK:             linalg.matvec
// CHECK:           %[[H:.*]] = dynbatch.block
// CHECK:             ml_program.global_load_const @U
// CHECK:             linalg.matvec {{.*}}outs(%[[P]]
// CHECK:           %[[Y:.*]] = dynbatch.block
// CHECK:             linalg.exp ins(%[[H]]
// CHECK:           dynbatch.yield %[[H]], %[[Y]]
// WHOLE-LABEL: func.func @rnn
// WHOLE-COUNT-1: dynbatch.block
// WHOLE-NOT:     dynbatch.block
ml_program.global private @W(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @U(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @b(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @rnn(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
  %h, %ys = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%c = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
    %W = ml_program.global_load_const @W : tensor<4x4xf32>
    %U = ml_program.global_load_const @U : tensor<4x4xf32>
    %b = ml_program.global_load_const @b : tensor<4xf32>
    %p = linalg.matvec ins(%W, %x : tensor<4x4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    %n = linalg.matvec ins(%U, %c : tensor<4x4xf32>, tensor<4xf32>) outs(%p : tensor<4xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%n : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %n, %y : tensor<4xf32>, tensor<4xf32>
  }
  return %ys : !dynbatch.seq<tensor<4xf32>>
}
