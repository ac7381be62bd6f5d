// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-batch-kernels))' --verify-roundtrip | FileCheck %s

ml_program.global private @W(#ml_program.extern<tensor<4x8xf32>>) : tensor<4x8xf32>
ml_program.global private @b(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>

// A matvec with a shared matrix is a matmul; a shared initial value is
// broadcast; the type of one task is kept.

// CHECK-LABEL: dynbatch.kernel private @dense(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index, %[[XS:[a-z0-9]+]]: !dynbatch.rows<tensor<8xf32>>, %[[YS:[a-z0-9]+]]: !dynbatch.rows<tensor<4xf32>>
// CHECK-SAME:    attributes {flops = 68 : i64, stage = 3 : i64, task_type = (tensor<8xf32>) -> tensor<4xf32>}
// CHECK:         %[[X:.*]] = dynbatch.gather %[[XS]][%c0, %[[N]]] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
// CHECK:         %[[B:.*]] = linalg.broadcast ins(%b : tensor<4xf32>) outs(%{{.*}} : tensor<?x4xf32>) dimensions = [0]
// CHECK:         %[[Y:.*]] = linalg.matmul {{.*}}ins(%[[X]], %W : tensor<?x8xf32>, tensor<4x8xf32>) outs(%[[B]] : tensor<?x4xf32>)
// CHECK:         %[[Z:.*]] = linalg.exp ins(%[[Y]] : tensor<?x4xf32>)
// CHECK:         dynbatch.scatter %[[Z]] into %[[YS]][%c0]
// CHECK:         dynbatch.return{{$}}
dynbatch.kernel private @dense(%x: tensor<8xf32>) -> tensor<4xf32> attributes {stage = 3 : i64} {
  %W = ml_program.global_load_const @W : tensor<4x8xf32>
  %b = ml_program.global_load_const @b : tensor<4xf32>
  %y = linalg.matvec ins(%W, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.exp ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.return %z : tensor<4xf32>
}

// Results that are an operand, a shared value, or made of a scalar operand.

// CHECK-LABEL: dynbatch.kernel private @results(
// CHECK-DAG:     %[[X:.*]] = dynbatch.gather %{{.*}} : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
// CHECK-DAG:     %[[S:.*]] = dynbatch.gather %{{.*}} : !dynbatch.rows<f32> -> tensor<?xf32>
// CHECK:         %[[T:.*]] = linalg.broadcast ins(%[[S]] : tensor<?xf32>) outs(%{{.*}} : tensor<?x8xf32>) dimensions = [1]
// CHECK:         dynbatch.scatter %[[X]] into
// CHECK:         %[[B:.*]] = linalg.broadcast ins(%b : tensor<4xf32>) outs(%{{.*}} : tensor<?x4xf32>) dimensions = [0]
// CHECK:         dynbatch.scatter %[[B]] into
// CHECK:         dynbatch.scatter %[[T]] into
dynbatch.kernel private @results(%x: tensor<8xf32>, %s: f32) -> (tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) {
  %b = ml_program.global_load_const @b : tensor<4xf32>
  %t = tensor.splat %s : tensor<8xf32>
  dynbatch.return %x, %b, %t : tensor<8xf32>, tensor<4xf32>, tensor<8xf32>
}
