// RUN: dynbatch-opt %s --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s -mlir-print-op-generic | dynbatch-opt | FileCheck %s

// CHECK-LABEL: func.func @lookup(
// CHECK-NEXT: %0 = dynbatch.lookup %arg0[%arg2] : tensor<9x4xf32>, i32 -> tensor<4xf32>
// CHECK-NEXT: %1 = dynbatch.lookup %arg0[%arg3] {note} : tensor<9x4xf32>, index -> tensor<4xf32>
// CHECK-NEXT: %2 = dynbatch.lookup %arg1[%arg2] : tensor<9xf32>, i32 -> tensor<f32>
func.func @lookup(%E: tensor<9x4xf32>, %v: tensor<9xf32>, %i: i32, %j: index) {
  %0 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf32>
  %1 = dynbatch.lookup %E[%j] {note} : tensor<9x4xf32>, index -> tensor<4xf32>
  %2 = dynbatch.lookup %v[%i] : tensor<9xf32>, i32 -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @read(
// CHECK-NEXT: %0 = dynbatch.read %arg0[] : tensor<i1>
// CHECK-NEXT: %1 = dynbatch.read %arg1[%arg2, %arg2] {note} : tensor<2x3xf32>
func.func @read(%s: tensor<i1>, %t: tensor<2x3xf32>, %i: index) {
  %0 = dynbatch.read %s[] : tensor<i1>
  %1 = dynbatch.read %t[%i, %i] {note} : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @block(
// CHECK-NEXT: %0 = dynbatch.block -> tensor<4xf32> {
// CHECK-NEXT: %2 = arith.addf %arg0, %arg0 : tensor<4xf32>
// CHECK-NEXT: dynbatch.yield %2 : tensor<4xf32>
// CHECK: %1:2 = dynbatch.block -> tensor<4xf32>, tensor<2xf32> attributes {note} {
// CHECK-NEXT: dynbatch.yield %0, %arg1 : tensor<4xf32>, tensor<2xf32>
// CHECK: dynbatch.block {
func.func @block(%a: tensor<4xf32>, %b: tensor<2xf32>) {
  %0 = dynbatch.block -> tensor<4xf32> {
    %3 = arith.addf %a, %a : tensor<4xf32>
    dynbatch.yield %3 : tensor<4xf32>
  }
  %1:2 = dynbatch.block -> tensor<4xf32>, tensor<2xf32> attributes {note} {
    dynbatch.yield %0, %b : tensor<4xf32>, tensor<2xf32>
  }
  dynbatch.block {
  }
  return
}
