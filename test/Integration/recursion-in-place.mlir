// A recursive function that computes "into" its argument and into what it gets back.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      [10 46] {{\[\[}}3 12] [1 1]] [1 10]{{$}}
// CHECK-NEXT: [5 5] {{\[\[}}5 5]] [5 5]{{$}}

//--- instances
3 [1 10]
0 [5 5]
//--- model.mlir
func.func private @rec(%n: i32, %x: tensor<2xf32>, %s: !dynbatch.seq<tensor<2xf32>>) -> (tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %z = arith.cmpi sle, %n, %c0 : i32
  %r:2 = scf.if %z -> (tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>) {
    scf.yield %x, %s : tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>
  } else {
    %m = arith.subi %n, %c1 : i32
    %t = dynbatch.make_seq %x, %one : !dynbatch.seq<tensor<2xf32>>
    %y = linalg.add ins(%x, %one : tensor<2xf32>, tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>
    %p:2 = func.call @rec(%m, %y, %t) : (i32, tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>) -> (tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>)
    %q = linalg.add ins(%p#0, %x : tensor<2xf32>, tensor<2xf32>) outs(%p#0 : tensor<2xf32>) -> tensor<2xf32>
    scf.yield %q, %p#1 : tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>
  }
  return %r#0, %r#1 : tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>
}
func.func @main(%n: i32, %x: tensor<2xf32>) -> (tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>, tensor<2xf32>) attributes {dynbatch.entry} {
  %s = dynbatch.make_seq %x : !dynbatch.seq<tensor<2xf32>>
  %r:2 = call @rec(%n, %x, %s) : (i32, tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>) -> (tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>)
  return %r#0, %r#1, %x : tensor<2xf32>, !dynbatch.seq<tensor<2xf32>>, tensor<2xf32>
}
