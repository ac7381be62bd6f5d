// Tensors of all element types in tasks, scalar operands included.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      [0 1] [3 -4] 2.25 [2 -56 56] [6 -8] [0 1] [0.25 -4] [-3 -61 51] []{{$}}
// CHECK-NEXT: [1 1] [inf 0.00020003319] 4 [0 2 4] [0 2] [0 0] [inf 0.00020003319] [-128 -126 -124] []{{$}}

//--- instances
[1 1] [1.5 -2] 1.5 [1 100 -100] [3 -4] 1 0.25 5
[0 1] [65504 0.0001] -2 [0 1 2] [0 1] 0 -1 -128
//--- model.mlir
func.func @main(%a: tensor<2xi1>, %b: tensor<2xf16>, %c: tensor<f64>, %d: tensor<3xi8>, %e: tensor<2xindex>, %f: i1, %g: f16, %h: i8) -> (tensor<2xi1>, tensor<2xf16>, tensor<f64>, tensor<3xi8>, tensor<2xindex>, tensor<2xi1>, tensor<2xf16>, tensor<3xi8>, tensor<0x3xf32>) attributes {dynbatch.entry} {
  %zero = arith.constant 0.0 : f32
  %t = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = arith.xori %a, %t : tensor<2xi1>
  %1 = arith.addf %b, %b : tensor<2xf16>
  %2 = arith.mulf %c, %c : tensor<f64>
  %3 = arith.addi %d, %d : tensor<3xi8>
  %4 = arith.addi %e, %e : tensor<2xindex>
  %s5 = tensor.splat %f : tensor<2xi1>
  %5 = arith.andi %s5, %0 : tensor<2xi1>
  %s6 = tensor.splat %g : tensor<2xf16>
  %6 = arith.select %0, %1, %s6 : tensor<2xi1>, tensor<2xf16>
  %s7 = tensor.splat %h : tensor<3xi8>
  %7 = arith.subi %3, %s7 : tensor<3xi8>
  %8 = tensor.splat %zero : tensor<0x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2xi1>, tensor<2xf16>, tensor<f64>, tensor<3xi8>, tensor<2xindex>, tensor<2xi1>, tensor<2xf16>, tensor<3xi8>, tensor<0x3xf32>
}
