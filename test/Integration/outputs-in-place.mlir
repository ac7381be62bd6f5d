// Ops that name a live tensor as their output must not change it: neither what a
// sequence already holds nor what is used again afterwards.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      {{\[\[}}1 2] [2 3] [12 13]] [112 113] [113 115]{{$}}
// CHECK-NEXT: [] [0 0] [0 0]{{$}}

//--- instances
[1 2] [1 10 100]
[0 0] []
//--- model.mlir
func.func @main(%x: tensor<2xf32>, %n: !dynbatch.seq<f32>) -> (!dynbatch.seq<tensor<2xf32>>, tensor<2xf32>, tensor<2xf32>) attributes {dynbatch.entry} {
  %last, %hs = dynbatch.scan (%v = %n : !dynbatch.seq<f32>) carry(%h = %x : tensor<2xf32>) -> !dynbatch.seq<tensor<2xf32>> {
    %f = tensor.splat %v : tensor<2xf32>
    %g = linalg.add ins(%h, %f : tensor<2xf32>, tensor<2xf32>) outs(%h : tensor<2xf32>) -> tensor<2xf32>
    dynbatch.yield %g, %h : tensor<2xf32>, tensor<2xf32>
  }
  %y = linalg.add ins(%x, %last : tensor<2xf32>, tensor<2xf32>) outs(%last : tensor<2xf32>) -> tensor<2xf32>
  return %hs, %last, %y : !dynbatch.seq<tensor<2xf32>>, tensor<2xf32>, tensor<2xf32>
}
