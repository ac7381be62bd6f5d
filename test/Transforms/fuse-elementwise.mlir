// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-fuse-elementwise))' | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// A chain becomes one op; a result that is needed elsewhere, too, is kept and
// computed once.

// CHECK-LABEL: dynbatch.kernel private @chain(
// CHECK:         %[[R:.*]]:2 = linalg.generic
// CHECK:           math.exp
// CHECK:           arith.negf
// CHECK:           linalg.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NOT:     linalg.generic
// CHECK:         dynbatch.return
dynbatch.kernel private @chain(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  dynbatch.return %a, %b : tensor<8xf32>, tensor<8xf32>
}
