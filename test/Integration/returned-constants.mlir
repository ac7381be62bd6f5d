// An entry without inputs that returns constants of all kinds.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      [1 0] [7 -1] 1.5 {{\[\[}}] []] 1 {{\[\[}}1 2] [3 -4]]{{$}}

//--- instances
()
//--- model.mlir
func.func @main() -> (tensor<2xi1>, tensor<2xindex>, tensor<f16>, tensor<2x0xf32>, i1, tensor<2x2xi8>) attributes {dynbatch.entry} {
  %a = arith.constant dense<[true, false]> : tensor<2xi1>
  %b = arith.constant dense<[7, -1]> : tensor<2xindex>
  %c = arith.constant dense<1.5> : tensor<f16>
  %d = arith.constant dense<> : tensor<2x0xf32>
  %e = arith.constant true
  %f = arith.constant dense<[[1,2],[3,-4]]> : tensor<2x2xi8>
  return %a, %b, %c, %d, %e, %f : tensor<2xi1>, tensor<2xindex>, tensor<f16>, tensor<2x0xf32>, i1, tensor<2x2xi8>
}
