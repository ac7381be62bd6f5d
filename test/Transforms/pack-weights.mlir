// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-batch-kernels,dynbatch-pack-weights))' | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-batch-kernels,dynbatch-pack-weights{panel-width=4}))' | FileCheck %s --check-prefix=FOUR

ml_program.global private @W(#ml_program.extern<tensor<40x8xf32>>) : tensor<40x8xf32>
ml_program.global private @D(#ml_program.extern<tensor<4x8xf64>>) : tensor<4x8xf64>

// CHECK-LABEL: dynbatch.kernel private @dense(
// CHECK:         %[[P:.*]] = linalg.pack %W padding_value({{.*}}) inner_dims_pos = [0] inner_tiles = [32] into %{{.*}} : tensor<40x8xf32> -> tensor<2x8x32xf32>
// CHECK:         dynbatch.panel_matmul ins(%{{.*}}, %[[P]] : tensor<?x8xf32>, tensor<2x8x32xf32>) outs(%{{.*}} : tensor<?x40xf32>)
// FOUR-LABEL: dynbatch.kernel private @dense(
// FOUR:         linalg.pack %W inner_dims_pos = [0] inner_tiles = [4] into %{{.*}} : tensor<40x8xf32> -> tensor<10x8x4xf32>
dynbatch.kernel private @dense(%x: tensor<8xf32>, %a: tensor<40xf32>) -> tensor<40xf32> {
  %W = ml_program.global_load_const @W : tensor<40x8xf32>
  %y = linalg.matvec ins(%W, %x : tensor<40x8xf32>, tensor<8xf32>) outs(%a : tensor<40xf32>) -> tensor<40xf32>
  dynbatch.return %y : tensor<40xf32>
}

// The matrix the other way round.

// CHECK-LABEL: dynbatch.kernel private @transposed(
// CHECK:         linalg.pack %W {{.*}}outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [32] into %{{.*}} : tensor<40x8xf32> -> tensor<1x40x32xf32>
// CHECK:         dynbatch.panel_matmul
dynbatch.kernel private @transposed(%x: tensor<40xf32>, %a: tensor<8xf32>) -> tensor<8xf32> {
  %W = ml_program.global_load_const @W : tensor<40x8xf32>
  %y = linalg.vecmat ins(%x, %W : tensor<40xf32>, tensor<40x8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  dynbatch.return %y : tensor<8xf32>
}

// A matrix of the task, f64: left alone.

// CHECK-LABEL: dynbatch.kernel private @varying(
// CHECK-NOT:     panel_matmul
// CHECK:         dynbatch.return
dynbatch.kernel private @varying(%M: tensor<4x8xf32>, %x: tensor<8xf32>, %a: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.matvec ins(%M, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.return %y : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @doubles(
// CHECK-NOT:     panel_matmul
// CHECK:         dynbatch.return
dynbatch.kernel private @doubles(%x: tensor<8xf64>, %a: tensor<4xf64>) -> tensor<4xf64> {
  %D = ml_program.global_load_const @D : tensor<4x8xf64>
  %y = linalg.matvec ins(%D, %x : tensor<4x8xf64>, tensor<8xf64>) outs(%a : tensor<4xf64>) -> tensor<4xf64>
  dynbatch.return %y : tensor<4xf64>
}

// Weights of f16 and bf16 that the contraction extends stay as they are.

ml_program.global private @B(#ml_program.extern<tensor<40x8xbf16>>) : tensor<40x8xbf16>
ml_program.global private @H(#ml_program.extern<tensor<8x40xf16>>) : tensor<8x40xf16>

// CHECK-LABEL: dynbatch.kernel private @brain(
// CHECK:         %[[P:.*]] = linalg.pack %{{.*}} inner_tiles = [32] into %{{.*}} : tensor<40x8xbf16> -> tensor<2x8x32xbf16>
// CHECK:         dynbatch.panel_matmul ins(%{{.*}}, %[[P]] : tensor<?x8xf32>, tensor<2x8x32xbf16>) outs(%{{.*}} : tensor<?x40xf32>)
dynbatch.kernel private @brain(%x: tensor<8xf32>, %a: tensor<40xf32>) -> tensor<40xf32> {
  %B = ml_program.global_load_const @B : tensor<40x8xbf16>
  %y = linalg.matvec ins(%B, %x : tensor<40x8xbf16>, tensor<8xf32>) outs(%a : tensor<40xf32>) -> tensor<40xf32>
  dynbatch.return %y : tensor<40xf32>
}

// Rows are extended first.

// CHECK-LABEL: dynbatch.kernel private @half(
// CHECK:         %[[X:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<?x8xf16>) outs(%{{.*}} : tensor<?x8xf32>)
// CHECK-NEXT:    ^bb0(%[[E:.*]]: f16, %{{.*}}: f32):
// CHECK-NEXT:      arith.extf %[[E]] : f16 to f32
// CHECK:         dynbatch.panel_matmul ins(%[[X]], %{{.*}} : tensor<?x8xf32>, tensor<2x8x32xf16>)
dynbatch.kernel private @half(%x: tensor<8xf16>, %a: tensor<40xf32>) -> tensor<40xf32> {
  %H = ml_program.global_load_const @H : tensor<8x40xf16>
  %y = linalg.vecmat ins(%x, %H : tensor<8xf16>, tensor<8x40xf16>) outs(%a : tensor<40xf32>) -> tensor<40xf32>
  dynbatch.return %y : tensor<40xf32>
}

// Sums in bf16 are not sums in f32.

// CHECK-LABEL: dynbatch.kernel private @narrow_sum(
// CHECK-NOT:     panel_matmul
// CHECK:         dynbatch.return
dynbatch.kernel private @narrow_sum(%x: tensor<8xbf16>, %a: tensor<40xbf16>) -> tensor<40xbf16> {
  %B = ml_program.global_load_const @B : tensor<40x8xbf16>
  %y = linalg.matvec ins(%B, %x : tensor<40x8xbf16>, tensor<8xbf16>) outs(%a : tensor<40xbf16>) -> tensor<40xbf16>
  dynbatch.return %y : tensor<40xbf16>
}

// A function of a factor: not a product of what is packed.

// CHECK-LABEL: dynbatch.kernel private @function_of_factor(
// CHECK-NOT:     panel_matmul
// CHECK:         math.exp
// CHECK-NOT:     panel_matmul
// CHECK:         dynbatch.return
dynbatch.kernel private @function_of_factor(%x: tensor<8xf32>, %a: tensor<40xf32>) -> tensor<40xf32> {
  %W = ml_program.global_load_const @W : tensor<40x8xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%W, %x : tensor<40x8xf32>, tensor<8xf32>) outs(%a : tensor<40xf32>) {
  ^bb0(%w: f32, %b: f32, %s: f32):
    %e = math.exp %w : f32
    %p = arith.mulf %e, %b : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<40xf32>
  dynbatch.return %y : tensor<40xf32>
}
