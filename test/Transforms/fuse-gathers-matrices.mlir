// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-fuse-gathers{l2-bytes=65536}))' | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-fuse-gathers{l2-bytes=4194304}))' | FileCheck %s --check-prefix=LARGE

// All tasks of a tile multiply by one block of their large matrices, 16 KiB, and
// then by the next: tasks with the same matrix, which come one after the other,
// find the block in the first-level cache.

// CHECK-LABEL: dynbatch.kernel private @rows(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index, %[[MS:[a-z0-9]+]]: !dynbatch.rows<tensor<64x512xf32>>, %[[XS:[a-z0-9]+]]: !dynbatch.rows<tensor<512xf32>>
// CHECK-SAME:    order_by = 0 : i64
// CHECK:         scf.for %[[FIRST:.*]] = %{{.*}} to %[[N]]
// CHECK:           %[[COUNT:.*]] = arith.minui
// The accumulator is filled.
// CHECK:           scf.for {{.*}} to %[[COUNT]]
// CHECK:             dynbatch.gather %{{.*}} : !dynbatch.rows<tensor<64xf32>>
// CHECK-DAG:       %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:       %[[C8:.*]] = arith.constant 8 : index
// CHECK:           scf.for %[[BLOCK:.*]] = %{{.*}} to %[[C64]] step %[[C8]]
// CHECK:             scf.for %[[ROW:.*]] = %{{.*}} to %[[COUNT]] step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:               %[[TASK:.*]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK:               %[[MATRIX:.*]] = dynbatch.gather %[[MS]][%[[TASK]]
// CHECK:               %[[PART:.*]] = tensor.extract_slice %[[MATRIX]][0, %[[BLOCK]], 0] [1, 8, 512] [1, 1, 1]
// CHECK:               dynbatch.gather %[[XS]][%[[TASK]]
// CHECK:               %[[SUMS:.*]] = tensor.extract_slice %[[ACC]][%[[ROW]], %[[BLOCK]]] [1, 8] [1, 1]
// CHECK:               %[[NEW:.*]] = linalg.batch_matvec ins(%[[PART]], %{{.*}}) outs(%[[SUMS]] : tensor<1x8xf32>)
// CHECK:               tensor.insert_slice %[[NEW]] into %[[ACC]][%[[ROW]], %[[BLOCK]]] [1, 8] [1, 1]
// CHECK:           scf.for {{.*}} to %[[COUNT]]
// CHECK:             linalg.exp
// CHECK:             dynbatch.scatter
// CHECK:         dynbatch.return

// A cache that keeps several matrices needs no blocks.
// LARGE-LABEL: dynbatch.kernel private @rows(
// LARGE-NOT:     order_by
// LARGE:         scf.for
// LARGE-NOT:     scf.for
// LARGE:           linalg.batch_matvec {{.*}} outs(%{{.*}} : tensor<1x64xf32>)
// LARGE:         dynbatch.return
dynbatch.kernel private @rows(%n: index, %ms: !dynbatch.rows<tensor<64x512xf32>>, %xs: !dynbatch.rows<tensor<512xf32>>, %bs: !dynbatch.rows<tensor<64xf32>>, %ys: !dynbatch.rows<tensor<64xf32>>) attributes {task_type = (tensor<64x512xf32>, tensor<512xf32>, tensor<64xf32>) -> tensor<64xf32>} {
  %c0 = arith.constant 0 : index
  %m = dynbatch.gather %ms[%c0, %n] : !dynbatch.rows<tensor<64x512xf32>> -> tensor<?x64x512xf32>
  %x = dynbatch.gather %xs[%c0, %n] : !dynbatch.rows<tensor<512xf32>> -> tensor<?x512xf32>
  %b = dynbatch.gather %bs[%c0, %n] : !dynbatch.rows<tensor<64xf32>> -> tensor<?x64xf32>
  %z = linalg.batch_matvec ins(%m, %x : tensor<?x64x512xf32>, tensor<?x512xf32>) outs(%b : tensor<?x64xf32>) -> tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %y = linalg.exp ins(%z : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  dynbatch.scatter %y into %ys[%c0] : tensor<?x64xf32>, !dynbatch.rows<tensor<64xf32>>
  dynbatch.return
}

// A transposed matrix is summed up block by block. Blocks have equally many
// rows: 12 of 36, where 13 would fit. A vector that is computed is stored for
// the tile; one that all tasks share is used as it is.

// CHECK-LABEL: dynbatch.kernel private @columns(
// CHECK-SAME:    order_by = 1 : i64
// CHECK:         linalg.exp
// CHECK:         %[[C36:.*]] = arith.constant 36 : index
// CHECK:         %[[C12:.*]] = arith.constant 12 : index
// CHECK:         scf.for %[[BLOCK:.*]] = %{{.*}} to %[[C36]] step %[[C12]]
// CHECK:           scf.for %[[ROW:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK:             tensor.extract_slice %{{.*}}[%[[ROW]], %[[BLOCK]]] [1, 12] [1, 1]
// CHECK:             tensor.extract_slice %{{.*}}[0, %[[BLOCK]], 0] [1, 12, 300] [1, 1, 1]
// CHECK:             tensor.extract_slice %[[ACC]][%[[ROW]], 0] [1, 300] [1, 1]
// CHECK:             linalg.batch_vecmat {{.*}} outs(%{{.*}} : tensor<1x300xf32>)
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         scf.for %[[BLOCK:.*]] = %[[C0]]
// CHECK:           scf.for
// CHECK:             tensor.extract_slice %{{.*}}[%[[BLOCK]]] [12] [1] : tensor<36xf32> to tensor<12xf32>
// CHECK:             linalg.contract
// CHECK:         dynbatch.return
dynbatch.kernel private @columns(%n: index, %xs: !dynbatch.rows<tensor<36xf32>>, %ms: !dynbatch.rows<tensor<36x300xf32>>, %ys: !dynbatch.rows<tensor<300xf32>>, %zs: !dynbatch.rows<tensor<300xf32>>) attributes {task_type = (tensor<36xf32>, tensor<36x300xf32>) -> (tensor<300xf32>, tensor<300xf32>)} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %shared = arith.constant dense<2.0> : tensor<36xf32>
  %m = dynbatch.gather %ms[%c0, %n] : !dynbatch.rows<tensor<36x300xf32>> -> tensor<?x36x300xf32>
  %x = dynbatch.gather %xs[%c0, %n] : !dynbatch.rows<tensor<36xf32>> -> tensor<?x36xf32>
  %e = tensor.empty(%n) : tensor<?x36xf32>
  %v = linalg.exp ins(%x : tensor<?x36xf32>) outs(%e : tensor<?x36xf32>) -> tensor<?x36xf32>
  %f = tensor.empty(%n) : tensor<?x300xf32>
  %a = linalg.fill ins(%zero : f32) outs(%f : tensor<?x300xf32>) -> tensor<?x300xf32>
  %y = linalg.batch_vecmat ins(%v, %m : tensor<?x36xf32>, tensor<?x36x300xf32>) outs(%a : tensor<?x300xf32>) -> tensor<?x300xf32>
  // The accumulator is that of both products; each gets its own.
  %z = linalg.contract
    indexing_maps = [affine_map<(t, k, i) -> (k)>, affine_map<(t, k, i) -> (t, k, i)>, affine_map<(t, k, i) -> (t, i)>]
    ins(%shared, %m : tensor<36xf32>, tensor<?x36x300xf32>) outs(%a : tensor<?x300xf32>) -> tensor<?x300xf32>
  dynbatch.scatter %y into %ys[%c0] : tensor<?x300xf32>, !dynbatch.rows<tensor<300xf32>>
  dynbatch.scatter %z into %zs[%c0] : tensor<?x300xf32>, !dynbatch.rows<tensor<300xf32>>
  dynbatch.return
}

// What is no product of a matrix from outside with a vector is not one of these:
// a matrix that was computed, and a product of two matrices.

// CHECK-LABEL: dynbatch.kernel private @others(
// CHECK-NOT:     order_by
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         dynbatch.return
dynbatch.kernel private @others(%n: index, %ms: !dynbatch.rows<tensor<64x64xf32>>, %xs: !dynbatch.rows<tensor<64xf32>>, %ys: !dynbatch.rows<tensor<64xf32>>, %zs: !dynbatch.rows<tensor<64x64xf32>>) attributes {task_type = (tensor<64x64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>)} {
  %c0 = arith.constant 0 : index
  %m = dynbatch.gather %ms[%c0, %n] : !dynbatch.rows<tensor<64x64xf32>> -> tensor<?x64x64xf32>
  %x = dynbatch.gather %xs[%c0, %n] : !dynbatch.rows<tensor<64xf32>> -> tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64x64xf32>
  %computed = linalg.exp ins(%m : tensor<?x64x64xf32>) outs(%e : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  %y = linalg.batch_matvec ins(%computed, %x : tensor<?x64x64xf32>, tensor<?x64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  %z = linalg.batch_matmul ins(%m, %m : tensor<?x64x64xf32>, tensor<?x64x64xf32>) outs(%m : tensor<?x64x64xf32>) -> tensor<?x64x64xf32>
  dynbatch.scatter %y into %ys[%c0] : tensor<?x64xf32>, !dynbatch.rows<tensor<64xf32>>
  dynbatch.scatter %z into %zs[%c0] : tensor<?x64x64xf32>, !dynbatch.rows<tensor<64x64xf32>>
  dynbatch.return
}
