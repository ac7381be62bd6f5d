// Sequences of data that hold sequences, mapped, scanned and read on the host.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      [] [] 0{{$}}
// CHECK-NEXT: {{\[\[}}] {{\[\[}}]]] {{\[\[}}] [0]] 0{{$}}
// CHECK-NEXT: {{\[\[}}{{\[\[}}1] [3] [6]] [] {{\[\[}}5]]] {{\[\[}}[0] [0]]] {{\[\[}}[7]]]] {{\[\[}}3 0 1] [2] [1]] 22{{$}}

//--- instances
[]
[(R [] 1) (R [[]] 0)]
[(R [[[1] [2] [3]] [] [[5]]] 1) (R [[[1] [2]]] 0) (R [[[7]]] 1)]
//--- model.mlir
dynbatch.adt @R {
  dynbatch.ctor @R(!dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>, i1)
}
func.func @main(%s: !dynbatch.seq<!dynbatch.adt<@R>>) -> (!dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>>, !dynbatch.seq<!dynbatch.seq<index>>, f32) attributes {dynbatch.entry} {
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %f0 = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = dynbatch.map (%e = %s : !dynbatch.seq<!dynbatch.adt<@R>>) -> !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>> {
    %o = dynbatch.match %e : !dynbatch.adt<@R> -> !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>
      case @R(%ss: !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>, %b: i1) {
        %q = dynbatch.map (%i = %ss : !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>) -> !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>> {
          %g, %h = dynbatch.scan (%x = %i : !dynbatch.seq<tensor<1xf32>>) carry(%c = %zero : tensor<1xf32>) -> !dynbatch.seq<tensor<1xf32>> {
            %d = arith.addf %c, %x : tensor<1xf32>
            %n = arith.select %b, %d, %c : tensor<1xf32>
            dynbatch.yield %n, %n : tensor<1xf32>, tensor<1xf32>
          }
          dynbatch.yield %h : !dynbatch.seq<tensor<1xf32>>
        }
        dynbatch.yield %q : !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>
      }
    dynbatch.yield %o : !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>
  }
  %lens = dynbatch.map (%e = %r : !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>>) -> !dynbatch.seq<!dynbatch.seq<index>> {
    %k = dynbatch.map (%f = %e : !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>) -> !dynbatch.seq<index> {
      %n = dynbatch.length %f : !dynbatch.seq<tensor<1xf32>>
      dynbatch.yield %n : index
    }
    dynbatch.yield %k : !dynbatch.seq<index>
  }
  // forced reads in a scan over computed values
  %sum = dynbatch.scan (%e = %r : !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>>) carry(%acc = %f0 : f32) {
    %t = dynbatch.scan (%f = %e : !dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>) carry(%a2 = %acc : f32) {
      %u = dynbatch.scan (%x = %f : !dynbatch.seq<tensor<1xf32>>) carry(%a3 = %a2 : f32) {
        %v = tensor.extract %x[%c0] : tensor<1xf32>
        %w = arith.addf %v, %a3 : f32
        dynbatch.yield %w : f32
      }
      dynbatch.yield %u : f32
    }
    dynbatch.yield %t : f32
  }
  return %r, %lens, %sum : !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<1xf32>>>>, !dynbatch.seq<!dynbatch.seq<index>>, f32
}
