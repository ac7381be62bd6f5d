// Tensors that are made of constants and parameters alone: in host code, in
// branches that choose them, and as operands of other ops.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --verify-schedule --output=%t/cpu.txt
// RUN: %python %numpy/compare.py %t/reference.txt %t/cpu.txt --tolerance 1e-6
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --pipeline-options="prologue=false" --output=%t/off.txt
// RUN: cmp %t/cpu.txt %t/off.txt
// RUN: FileCheck %s < %t/cpu.txt

// CHECK:      [2 2 2 2]
// CHECK-NEXT: [3 4 5 6]

//--- instances.txt
A
(B [1 2 3 4])

//--- model.mlir
dynbatch.adt @T {
  dynbatch.ctor @A()
  dynbatch.ctor @B(tensor<4xf32>)
}
ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%t: !dynbatch.adt<@T>) -> (tensor<4xf32>, tensor<4xf32>, !dynbatch.seq<tensor<4xf32>>) attributes {dynbatch.entry} {
  %z = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %g = linalg.add ins(%W, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = dynbatch.match %t : !dynbatch.adt<@T> -> tensor<4xf32>
    case @A() {
      dynbatch.yield %f : tensor<4xf32>
    }
    case @B(%x: tensor<4xf32>) {
      %y = linalg.add ins(%x, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %y : tensor<4xf32>
    }
  %s = dynbatch.make_seq %f, %g : !dynbatch.seq<tensor<4xf32>>
  return %r, %g, %s : tensor<4xf32>, tensor<4xf32>, !dynbatch.seq<tensor<4xf32>>
}
