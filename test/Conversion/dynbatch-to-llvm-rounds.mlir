// RUN: dynbatch-opt %s --convert-dynbatch-to-llvm | FileCheck %s

// A stage that runs in rounds: buckets are numbered by round; a kernel that takes
// steps has its whole depth for the runtime to find the bucket. The stamp has the
// whole depth in each case.

// CHECK: dynbatch_descriptor("
// CHECK-SAME: \22stages\22:[{\22cyclic\22:true,\22kernels\22:[2],\22parts\22:[{\22kernels\22:[1],\22steps\22:true},{\22kernels\22:[0],\22steps\22:false}]}]

dynbatch.kernel private @once(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xf32>>) attributes {cyclic, part = 1 : i64, turn = #dynbatch.turn<once>, stage = 0 : i64, implementation = @impl, task_type = (tensor<4xf32>) -> tensor<4xf32>}
dynbatch.kernel private @steps(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xf32>>) attributes {cyclic, part = 0 : i64, turn = #dynbatch.turn<steps>, stage = 0 : i64, implementation = @impl, task_type = (tensor<4xf32>) -> tensor<4xf32>}
dynbatch.kernel private @first(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xf32>>) attributes {cyclic, turn = #dynbatch.turn<first>, stage = 0 : i64, implementation = @impl, task_type = (tensor<4xf32>) -> tensor<4xf32>}
func.func private @impl(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
  return
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[D:[^:]*]]: index)
// CHECK: %[[DEPTH:.*]] = arith.index_cast %[[D]] : index to i64
// CHECK: %[[BITS:.*]] = llvm.mlir.constant(12 : i64)
// CHECK: %[[ROUND:.*]] = arith.shrui %[[DEPTH]], %[[BITS]] : i64
// CHECK: llvm.call @dynbatch_enqueue_first(%{{.*}}, %[[ROUND]], %{{.*}})
// CHECK: arith.ori %{{.*}}, %[[DEPTH]]
// CHECK: %[[DEPTH2:.*]] = arith.index_cast %[[D]] : index to i64
// CHECK-NOT: arith.shrui
// CHECK: llvm.call @dynbatch_enqueue_steps(%{{.*}}, %[[DEPTH2]], %{{.*}})
// CHECK: arith.ori %{{.*}}, %[[DEPTH2]]
// CHECK: %[[DEPTH3:.*]] = arith.index_cast %[[D]] : index to i64
// CHECK: %[[ROUND3:.*]] = arith.shrui %[[DEPTH3]], %{{.*}} : i64
// CHECK: llvm.call @dynbatch_enqueue_once(%{{.*}}, %[[ROUND3]], %{{.*}})
func.func @main(%ctx: !llvm.ptr, %x: tensor<4xf32>, %d: index) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @first(%x) depth(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dynbatch.enqueue @steps(%0) depth(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = dynbatch.enqueue @once(%1) depth(%d) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
