// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(func.func(dynbatch-decompose-tensor-ops))' | FileCheck %s

// CHECK-LABEL: func.func @concat
// CHECK-NOT:     tensor.concat
// CHECK-COUNT-2: tensor.insert_slice
func.func @concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK-NOT:     tensor.pad
// CHECK:         linalg.fill
// CHECK:         tensor.insert_slice
func.func @pad(%a: tensor<2xf32>, %z: f32) -> tensor<5xf32> {
  %0 = tensor.pad %a low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2xf32> to tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @pack
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.transpose
func.func @pack(%W: tensor<40x8xf32>) -> tensor<2x8x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x32xf32>
  %0 = linalg.pack %W padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [32] into %e : tensor<40x8xf32> -> tensor<2x8x32xf32>
  return %0 : tensor<2x8x32xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     linalg.softmax
// CHECK:         math.exp
func.func @softmax(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
