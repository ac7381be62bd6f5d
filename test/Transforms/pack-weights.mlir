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

// A matrix of the task, another element type: left alone.

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
