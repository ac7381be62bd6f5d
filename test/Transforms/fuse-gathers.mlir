// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-fuse-gathers{tile-rows=24}))' | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-fuse-gathers{l2-bytes=16384}))' | FileCheck %s --check-prefix=SMALL

// The contraction reads rows through their pointers, other ops gather and
// scatter single rows. What lives across loops has the size of a tile; nothing
// has the size of the batch.

// CHECK-LABEL: dynbatch.kernel private @dense(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index, %[[XS:[a-z0-9]+]]: !dynbatch.rows<tensor<8xf32>>, %[[YS:[a-z0-9]+]]: !dynbatch.rows<tensor<64xf32>>, %[[ZS:[a-z0-9]+]]: !dynbatch.rows<tensor<64xf32>>
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %c24
// CHECK:           %[[M:.*]] = arith.minui
// CHECK:           %[[E:.*]] = tensor.empty() : tensor<24x64xf32>
// CHECK:           scf.for {{.*}} to %[[M]] {{.*}}iter_args(%{{.*}} = %[[E]])
// CHECK:             dynbatch.gather %[[YS]][%{{.*}}, %{{.*}}] : !dynbatch.rows<tensor<64xf32>> -> tensor<1x64xf32>
// CHECK-NOT:       dynbatch.gather
// CHECK:           dynbatch.panel_matmul ins(%[[XS]][%[[I]]], %{{.*}} : !dynbatch.rows<tensor<8xf32>>, tensor<2x8x32xf32>)
// CHECK:           scf.for
// CHECK:             linalg.exp {{.*}}tensor<1x64xf32>
// CHECK:             dynbatch.scatter %{{.*}} into %[[ZS]][%{{.*}}] : tensor<1x64xf32>
// CHECK-NOT:     tensor<?x8xf32>
// CHECK:         dynbatch.return

// A small cache makes small tiles.
// SMALL-LABEL: dynbatch.kernel private @dense(
// SMALL:         step %c24
dynbatch.kernel private @dense(%n: index, %xs: !dynbatch.rows<tensor<8xf32>>, %ys: !dynbatch.rows<tensor<64xf32>>, %zs: !dynbatch.rows<tensor<64xf32>>) attributes {task_type = (tensor<8xf32>, tensor<64xf32>) -> tensor<64xf32>} {
  %c0 = arith.constant 0 : index
  %P = arith.constant dense<1.0> : tensor<2x8x32xf32>
  %x = dynbatch.gather %xs[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  %y = dynbatch.gather %ys[%c0, %n] : !dynbatch.rows<tensor<64xf32>> -> tensor<?x64xf32>
  %p = dynbatch.panel_matmul ins(%x, %P : tensor<?x8xf32>, tensor<2x8x32xf32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %z = linalg.exp ins(%p : tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  dynbatch.scatter %z into %zs[%c0] : tensor<?x64xf32>, !dynbatch.rows<tensor<64xf32>>
  dynbatch.return
}

// Without a contraction one loop over all rows will do.

// CHECK-LABEL: dynbatch.kernel private @copy(
// CHECK:         scf.for
// CHECK:           dynbatch.gather {{.*}} -> tensor<1x8xf32>
// CHECK:           dynbatch.scatter
// CHECK:         dynbatch.return
dynbatch.kernel private @copy(%n: index, %xs: !dynbatch.rows<tensor<8xf32>>, %ys: !dynbatch.rows<tensor<8xf32>>) attributes {task_type = (tensor<8xf32>) -> tensor<8xf32>} {
  %c0 = arith.constant 0 : index
  %x = dynbatch.gather %xs[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  dynbatch.scatter %x into %ys[%c0] : tensor<?x8xf32>, !dynbatch.rows<tensor<8xf32>>
  dynbatch.return
}
