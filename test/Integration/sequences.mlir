// A recurrent network over a sequence in both directions, a map over the
// states, and their sum: empty sequences, sequences of one element, and lengths
// that differ between instances.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:3 --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:3 --verify-schedule --stats --output=%t/cpu.txt 2>&1 | FileCheck %s
// RUN: %python %numpy/compare.py %t/reference.txt %t/cpu.txt --tolerance 1e-6
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:3 --batch-size=1 --output=%t/alone.txt
// RUN: diff %t/cpu.txt %t/alone.txt

// Both directions run the same kernel and advance together: as many batches as
// the longest sequence has elements, then one for the sums and one for the end.
// CHECK: batches {{ *}}10   lower bound 10

//--- instances.txt
[] 7
[1] -2
[1 2 3] 0
[5 4 3 2 1 0 7 7] 5
[2 2] 1

//--- model.mlir
ml_program.global private @E(#ml_program.extern<tensor<8x6xf32>>) : tensor<8x6xf32>
ml_program.global private @U(#ml_program.extern<tensor<6x6xf32>>) : tensor<6x6xf32>
ml_program.global private @h0(#ml_program.extern<tensor<6xf32>>) : tensor<6xf32>

func.func private @step(%x: tensor<6xf32>, %h: tensor<6xf32>) -> tensor<6xf32> {
  %U = ml_program.global_load_const @U : tensor<6x6xf32>
  %z = linalg.matvec ins(%U, %h : tensor<6x6xf32>, tensor<6xf32>) outs(%x : tensor<6xf32>) -> tensor<6xf32>
  %n = math.tanh %z : tensor<6xf32>
  return %n : tensor<6xf32>
}

func.func @main(%words: !dynbatch.seq<i32>, %bias: i32) -> (tensor<6xf32>, !dynbatch.seq<tensor<6xf32>>, index) attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @E : tensor<8x6xf32>
  %h0 = ml_program.global_load_const @h0 : tensor<6xf32>
  %xs = dynbatch.map (%w = %words : !dynbatch.seq<i32>) -> !dynbatch.seq<tensor<6xf32>> {
    %x = dynbatch.lookup %E[%w] : tensor<8x6xf32>, i32 -> tensor<6xf32>
    dynbatch.yield %x : tensor<6xf32>
  }
  %f, %fs = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<6xf32>>) carry(%h = %h0 : tensor<6xf32>) -> !dynbatch.seq<tensor<6xf32>> {
    %n = func.call @step(%x, %h) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    dynbatch.yield %n, %n : tensor<6xf32>, tensor<6xf32>
  }
  %b, %bs = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<tensor<6xf32>>) carry(%h = %h0 : tensor<6xf32>) -> !dynbatch.seq<tensor<6xf32>> {
    %n = func.call @step(%x, %h) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    dynbatch.yield %n, %n : tensor<6xf32>, tensor<6xf32>
  }
  %both = dynbatch.map (%p = %fs : !dynbatch.seq<tensor<6xf32>>, %q = %bs : !dynbatch.seq<tensor<6xf32>>) -> !dynbatch.seq<tensor<6xf32>> {
    %s = arith.addf %p, %q : tensor<6xf32>
    dynbatch.yield %s : tensor<6xf32>
  }
  %scale = arith.sitofp %bias : i32 to f32
  %scales = tensor.splat %scale : tensor<6xf32>
  %sum = arith.addf %f, %b : tensor<6xf32>
  %y = arith.mulf %sum, %scales : tensor<6xf32>
  %n = dynbatch.length %both : !dynbatch.seq<tensor<6xf32>>
  return %y, %both, %n : tensor<6xf32>, !dynbatch.seq<tensor<6xf32>>, index
}
