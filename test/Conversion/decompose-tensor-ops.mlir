// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(func.func(dynbatch-decompose-tensor-ops))' | FileCheck %s

// CHECK-LABEL: func.func @concat
// CHECK-NOT:     tensor.concat
// CHECK-COUNT-2: tensor.insert_slice
func.func @concat(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// A sum over a concatenation is a chain of sums over its pieces.

// CHECK-LABEL: func.func @sum_over_concat
// CHECK-SAME:    (%[[W:.*]]: tensor<4x5xf32>, %[[A:.*]]: tensor<2x6xf32>, %[[B:.*]]: tensor<3x6xf32>, %[[INIT:.*]]: tensor<4x6xf32>)
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[WA:.*]] = tensor.extract_slice %[[W]][0, 0] [4, 2] [1, 1]
// CHECK:         %[[SUM:.*]] = linalg.matmul ins(%[[WA]], %[[A]] : {{.*}}) outs(%[[INIT]] :
// CHECK:         %[[WB:.*]] = tensor.extract_slice %[[W]][0, 2] [4, 3] [1, 1]
// CHECK:         %[[ALL:.*]] = linalg.matmul ins(%[[WB]], %[[B]] : {{.*}}) outs(%[[SUM]] :
// CHECK:         return %[[ALL]]
func.func @sum_over_concat(%W: tensor<4x5xf32>, %a: tensor<2x6xf32>, %b: tensor<3x6xf32>, %init: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<2x6xf32>, tensor<3x6xf32>) -> tensor<5x6xf32>
  %1 = linalg.matmul ins(%W, %0 : tensor<4x5xf32>, tensor<5x6xf32>) outs(%init : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Columns that are concatenated are not summed over.

// CHECK-LABEL: func.func @product_of_concat
// CHECK-COUNT-2: tensor.insert_slice
// CHECK:         linalg.matmul
// CHECK-NOT:     linalg.matmul
// CHECK:         return
func.func @product_of_concat(%W: tensor<4x5xf32>, %a: tensor<5x2xf32>, %b: tensor<5x3xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<5x2xf32>, tensor<5x3xf32>) -> tensor<5x5xf32>
  %1 = linalg.matmul ins(%W, %0 : tensor<4x5xf32>, tensor<5x5xf32>) outs(%init : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
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
