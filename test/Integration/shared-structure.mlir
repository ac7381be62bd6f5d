// Results that share structure, and sequences of sequences of sequences.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      (N (N (L [2 4]) (L [2 4])) (N (L [2 4]) (L [2 4]))) {{\[\[}}{{\[\[}}1 2] [2 4] [4 16]] [] {{\[\[}}1 2] [2 4] [4 16]]] []] [4 16]{{$}}
// CHECK-NEXT: (N (N (L [-6 1]) (L [-6 1])) (N (L [-6 1]) (L [-6 1]))) {{\[\[}}{{\[\[}}-3 0.5] [-6 1] [36 1]] [] {{\[\[}}-3 0.5] [-6 1] [36 1]]] []] [36 1]{{$}}

//--- instances
[1 2]
[-3 0.5]
//--- model.mlir
dynbatch.adt @T {
  dynbatch.ctor @L(tensor<2xf32>)
  dynbatch.ctor @N(!dynbatch.adt<@T>, !dynbatch.adt<@T>)
}
func.func @main(%x: tensor<2xf32>) -> (!dynbatch.adt<@T>, !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<2xf32>>>>, tensor<2xf32>) attributes {dynbatch.entry} {
  %y = arith.addf %x, %x : tensor<2xf32>
  %l = dynbatch.construct @L(%y) : (tensor<2xf32>) -> !dynbatch.adt<@T>
  %n = dynbatch.construct @N(%l, %l) : (!dynbatch.adt<@T>, !dynbatch.adt<@T>) -> !dynbatch.adt<@T>
  %m = dynbatch.construct @N(%n, %n) : (!dynbatch.adt<@T>, !dynbatch.adt<@T>) -> !dynbatch.adt<@T>
  %z = arith.mulf %y, %y : tensor<2xf32>
  %s = dynbatch.make_seq %x, %y, %z : !dynbatch.seq<tensor<2xf32>>
  %e = dynbatch.make_seq : !dynbatch.seq<tensor<2xf32>>
  %ss = dynbatch.make_seq %s, %e, %s : !dynbatch.seq<!dynbatch.seq<tensor<2xf32>>>
  %ee = dynbatch.make_seq : !dynbatch.seq<!dynbatch.seq<tensor<2xf32>>>
  %sss = dynbatch.make_seq %ss, %ee : !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<2xf32>>>>
  return %m, %sss, %z : !dynbatch.adt<@T>, !dynbatch.seq<!dynbatch.seq<!dynbatch.seq<tensor<2xf32>>>>, tensor<2xf32>
}
