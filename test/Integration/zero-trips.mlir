// A loop without a trip gives its input; later ops must not compute into it.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      (S [1 2] [1 2]) (S [2 3] [1 2]) [1 2] [2 3] []{{$}}
// CHECK-NEXT: (S [9 12] [1 2]) (S [10 13] [9 12]) [1 2] [150 312] [(S [50 78] [3 4]) (S [10 13] [5 6])]{{$}}

//--- instances
[] [1 2]
[[3 4] [5 6]] [1 2]
//--- model.mlir
dynbatch.adt @S {
  dynbatch.ctor @S(tensor<2xf32>, tensor<2xf32>)
}
func.func @main(%s: !dynbatch.seq<tensor<2xf32>>, %x: tensor<2xf32>) -> (!dynbatch.adt<@S>, !dynbatch.adt<@S>, tensor<2xf32>, tensor<2xf32>, !dynbatch.seq<!dynbatch.adt<@S>>) attributes {dynbatch.entry} {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %l = dynbatch.scan (%e = %s : !dynbatch.seq<tensor<2xf32>>) carry(%c = %x : tensor<2xf32>) {
    %t = linalg.add ins(%c, %e : tensor<2xf32>, tensor<2xf32>) outs(%c : tensor<2xf32>) -> tensor<2xf32>
    dynbatch.yield %t : tensor<2xf32>
  }
  %a = dynbatch.construct @S(%l, %x) : (tensor<2xf32>, tensor<2xf32>) -> !dynbatch.adt<@S>
  %y = linalg.add ins(%l, %one : tensor<2xf32>, tensor<2xf32>) outs(%l : tensor<2xf32>) -> tensor<2xf32>
  %b = dynbatch.construct @S(%y, %l) : (tensor<2xf32>, tensor<2xf32>) -> !dynbatch.adt<@S>
  %p, %as = dynbatch.scan reverse (%e = %s : !dynbatch.seq<tensor<2xf32>>) carry(%c = %y : tensor<2xf32>) -> !dynbatch.seq<!dynbatch.adt<@S>> {
    %t = linalg.mul ins(%c, %e : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %q = dynbatch.construct @S(%c, %e) : (tensor<2xf32>, tensor<2xf32>) -> !dynbatch.adt<@S>
    dynbatch.yield %t, %q : tensor<2xf32>, !dynbatch.adt<@S>
  }
  return %a, %b, %x, %p, %as : !dynbatch.adt<@S>, !dynbatch.adt<@S>, tensor<2xf32>, tensor<2xf32>, !dynbatch.seq<!dynbatch.adt<@S>>
}
