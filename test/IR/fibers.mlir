// RUN: dynbatch-opt %s --verify-roundtrip | FileCheck %s

func.func private @f(%x: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, i32) {
  return %x, %n : tensor<4xf32>, i32
}
func.func private @nothing() {
  return
}

// CHECK-LABEL: func.func @fibers
func.func @fibers(%x: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, i32) {
  // CHECK: %[[F:.*]] = dynbatch.spawn @f(%{{.*}}, %{{.*}}) : (tensor<4xf32>, i32) -> !dynbatch.fiber<tensor<4xf32>, i32>
  %f = dynbatch.spawn @f(%x, %n) : (tensor<4xf32>, i32) -> !dynbatch.fiber<tensor<4xf32>, i32>
  // CHECK: %[[E:.*]] = dynbatch.spawn @nothing() : () -> !dynbatch.fiber
  %e = dynbatch.spawn @nothing() : () -> !dynbatch.fiber
  // CHECK: dynbatch.join %[[E]] : !dynbatch.fiber
  dynbatch.join %e : !dynbatch.fiber
  // CHECK: dynbatch.join %[[F]] : !dynbatch.fiber<tensor<4xf32>, i32> -> tensor<4xf32>, i32
  %r:2 = dynbatch.join %f : !dynbatch.fiber<tensor<4xf32>, i32> -> tensor<4xf32>, i32
  // CHECK: dynbatch.make_seq %{{.*}} : !dynbatch.seq<!dynbatch.fiber>
  %s = dynbatch.make_seq %e : !dynbatch.seq<!dynbatch.fiber>
  return %r#0, %r#1 : tensor<4xf32>, i32
}
