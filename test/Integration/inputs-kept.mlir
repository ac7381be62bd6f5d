// Functions that compute "into" their argument: fields, elements and chosen tensors
// keep their values.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      (P [1 2] [3 4]) (P [2 3] [4 5]) {{\[\[}}5 6] [7 8]] {{\[\[}}6 7] [8 9]] [6 7] [6 7]{{$}}
// CHECK-NEXT: (P [1 2] [3 4]) (P [2 3] [4 5]) {{\[\[}}5 6]] {{\[\[}}6 7]] [7 8] [7 8]{{$}}

//--- instances
(P [1 2] [3 4]) [[5 6] [7 8]] 1
(P [1 2] [3 4]) [[5 6]] 0
//--- model.mlir
dynbatch.adt @P {
  dynbatch.ctor @P(tensor<2xf32>, tensor<2xf32>)
}
func.func private @bump(%x: tensor<2xf32>) -> tensor<2xf32> attributes {no_inline} {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %y = linalg.add ins(%x, %one : tensor<2xf32>, tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @id(%x: tensor<2xf32>) -> tensor<2xf32> attributes {no_inline} {
  return %x : tensor<2xf32>
}
func.func private @pick(%c: i1, %x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> attributes {no_inline} {
  %r = scf.if %c -> tensor<2xf32> {
    scf.yield %x : tensor<2xf32>
  } else {
    scf.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
func.func @main(%p: !dynbatch.adt<@P>, %s: !dynbatch.seq<tensor<2xf32>>, %c: i1) -> (!dynbatch.adt<@P>, !dynbatch.adt<@P>, !dynbatch.seq<tensor<2xf32>>, !dynbatch.seq<tensor<2xf32>>, tensor<2xf32>, tensor<2xf32>) attributes {dynbatch.entry} {
  %c0 = arith.constant 0 : index
  %q = dynbatch.match %p : !dynbatch.adt<@P> -> !dynbatch.adt<@P>
    case @P(%a: tensor<2xf32>, %b: tensor<2xf32>) {
      %a1 = func.call @bump(%a) : (tensor<2xf32>) -> tensor<2xf32>
      %b1 = func.call @id(%b) : (tensor<2xf32>) -> tensor<2xf32>
      %b2 = func.call @bump(%b1) : (tensor<2xf32>) -> tensor<2xf32>
      %r = dynbatch.construct @P(%a1, %b2) : (tensor<2xf32>, tensor<2xf32>) -> !dynbatch.adt<@P>
      dynbatch.yield %r : !dynbatch.adt<@P>
    }
  %t = dynbatch.map (%x = %s : !dynbatch.seq<tensor<2xf32>>) -> !dynbatch.seq<tensor<2xf32>> {
    %y = func.call @bump(%x) : (tensor<2xf32>) -> tensor<2xf32>
    dynbatch.yield %y : tensor<2xf32>
  }
  %u = dynbatch.get %s[%c0] : !dynbatch.seq<tensor<2xf32>>
  %v = dynbatch.get %t[%c0] : !dynbatch.seq<tensor<2xf32>>
  %w = func.call @pick(%c, %u, %v) : (i1, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %w1 = func.call @bump(%w) : (tensor<2xf32>) -> tensor<2xf32>
  %w2 = arith.select %c, %u, %v : tensor<2xf32>
  %w3 = func.call @bump(%w2) : (tensor<2xf32>) -> tensor<2xf32>
  return %p, %q, %s, %t, %w1, %w3 : !dynbatch.adt<@P>, !dynbatch.adt<@P>, !dynbatch.seq<tensor<2xf32>>, !dynbatch.seq<tensor<2xf32>>, tensor<2xf32>, tensor<2xf32>
}
