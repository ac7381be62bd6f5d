// RUN: dynbatch-opt %s --dynbatch-normalize | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant dense<3> : tensor<1xi8>
// CHECK: arith.constant dense_resource<mask> : tensor<2xi1>
// CHECK: arith.constant dense_resource<short> : tensor<2xf32>
// CHECK: arith.constant dense_resource<missing> : tensor<2xf32>
func.func @main() -> (tensor<2xf32>, tensor<1xi8>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) attributes {dynbatch.entry} {
  %0 = arith.constant dense_resource<floats> : tensor<2xf32>
  %1 = arith.constant dense_resource<one> : tensor<1xi8>
  // Left for the lowerings, which refuse them.
  %2 = arith.constant dense_resource<mask> : tensor<2xi1>
  %3 = arith.constant dense_resource<short> : tensor<2xf32>
  %4 = arith.constant dense_resource<missing> : tensor<2xf32>
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<1xi8>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F00000040",
      one: "0x0100000003",
      mask: "0x010000000100",
      short: "0x040000000000803F"
    }
  }
#-}
