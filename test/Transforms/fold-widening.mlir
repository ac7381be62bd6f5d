// RUN: dynbatch-opt %s --dynbatch-normalize --dynbatch-fold-widening | FileCheck %s

ml_program.global private @W(#ml_program.extern<tensor<8x4xbf16>>) : tensor<8x4xbf16>
ml_program.global private @V(#ml_program.extern<tensor<4x8xf16>>) : tensor<4x8xf16>
ml_program.global private @D(#ml_program.extern<tensor<4x8xf32>>) : tensor<4x8xf32>

// CHECK-LABEL: func.func @vectors(
// CHECK-DAG:     %[[W:.*]] = ml_program.global_load_const @W
// CHECK-DAG:     %[[V:.*]] = ml_program.global_load_const @V
// CHECK-NOT:     arith.extf
// CHECK:         linalg.matvec {tag = "kept"} ins(%[[W]], %{{.*}} : tensor<8x4xbf16>, tensor<4xf32>)
// CHECK:         linalg.vecmat ins(%{{.*}}, %[[V]] : tensor<4xf32>, tensor<4x8xf16>)
func.func @vectors(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %W = ml_program.global_load_const @W : tensor<8x4xbf16>
  %V = ml_program.global_load_const @V : tensor<4x8xf16>
  %w = arith.extf %W : tensor<8x4xbf16> to tensor<8x4xf32>
  %v = arith.extf %V : tensor<4x8xf16> to tensor<4x8xf32>
  %a = linalg.matvec {tag = "kept"} ins(%w, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.vecmat ins(%x, %v : tensor<4xf32>, tensor<4x8xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// The maps of a product stay.

// CHECK-LABEL: func.func @matrix(
// CHECK:         linalg.matmul indexing_maps = [#{{.*}}, #[[T:.*]], #{{.*}}] ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<8x4xbf16>)
func.func @matrix(%x: tensor<2x4xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %W = ml_program.global_load_const @W : tensor<8x4xbf16>
  %w = arith.extf %W : tensor<8x4xbf16> to tensor<8x4xf32>
  %a = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<2x4xf32>, tensor<8x4xf32>) outs(%y : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %a : tensor<2x8xf32>
}

// One row is extended, not the table.

// CHECK-LABEL: func.func @row(
// CHECK:         %[[R:.*]] = dynbatch.lookup %{{.*}} : tensor<4x8xf16>, i32 -> tensor<8xf16>
// CHECK:         linalg.generic {{.*}} ins(%[[R]] : tensor<8xf16>) outs(%{{.*}} : tensor<8xf32>)
func.func @row(%i: i32) -> tensor<8xf32> {
  %V = ml_program.global_load_const @V : tensor<4x8xf16>
  %v = arith.extf %V : tensor<4x8xf16> to tensor<4x8xf32>
  %r = dynbatch.lookup %v[%i] : tensor<4x8xf32>, i32 -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Left alone: what is not a parameter, another function of it, another type, and
// uses that are not products.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: linalg.matvec ins(%{{.*}}, %{{.*}} : tensor<8x4xf32>, tensor<4xf32>)
// CHECK:         linalg.vecmat ins(%{{.*}}, %{{.*}} : tensor<4xf64>, tensor<4x8xf64>)
func.func @others(%x: tensor<4xf32>, %y: tensor<8xf32>, %M: tensor<8x4xbf16>, %xd: tensor<4xf64>, %yd: tensor<8xf64>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>) {
  %W = ml_program.global_load_const @W : tensor<8x4xbf16>
  %D = ml_program.global_load_const @D : tensor<4x8xf32>
  %m = arith.extf %M : tensor<8x4xbf16> to tensor<8x4xf32>
  %a = linalg.matvec ins(%m, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %w = arith.extf %W : tensor<8x4xbf16> to tensor<8x4xf32>
  %e = math.exp %w : tensor<8x4xf32>
  %b = linalg.matvec ins(%e, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %s = arith.addf %w, %m : tensor<8x4xf32>
  %c = linalg.matvec ins(%s, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  %d = arith.extf %D : tensor<4x8xf32> to tensor<4x8xf64>
  %f = linalg.vecmat ins(%xd, %d : tensor<4xf64>, tensor<4x8xf64>) outs(%yd : tensor<8xf64>) -> tensor<8xf64>
  return %a, %b, %c, %f : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>
}
