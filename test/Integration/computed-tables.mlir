// Rows of a table that was computed, with indices of all types.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      [2 4] [6 8] [10 12] [2 4] 8{{$}}
// CHECK-NEXT: [10 12] [6 8] [2 4] [6 8] 16{{$}}

//--- instances
[[1 2] [3 4] [5 6]] 0 1 2 0
[[1 2] [3 4] [5 6]] 2 1 0 1
//--- model.mlir
func.func @main(%t: tensor<3x2xf32>, %i: i8, %j: i64, %k: index, %b: i1) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) attributes {dynbatch.entry} {
  %u = arith.addf %t, %t : tensor<3x2xf32>
  %0 = dynbatch.lookup %u[%i] : tensor<3x2xf32>, i8 -> tensor<2xf32>
  %1 = dynbatch.lookup %u[%j] : tensor<3x2xf32>, i64 -> tensor<2xf32>
  %2 = dynbatch.lookup %u[%k] : tensor<3x2xf32>, index -> tensor<2xf32>
  %3 = dynbatch.lookup %u[%b] : tensor<3x2xf32>, i1 -> tensor<2xf32>
  %4 = arith.addf %3, %1 : tensor<2xf32>
  %5 = dynbatch.lookup %4[%b] : tensor<2xf32>, i1 -> tensor<f32>
  return %0, %1, %2, %3, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>
}
