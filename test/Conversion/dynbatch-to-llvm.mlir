// RUN: dynbatch-opt %s --dynbatch-pass-context --convert-dynbatch-to-llvm | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @dynbatch_descriptor("{{.*}}\22name\22:\22main\22

ml_program.global private @E(#ml_program.extern<tensor<10x4xf32>>) : tensor<10x4xf32>
dynbatch.kernel private @cell(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<i32>, !dynbatch.rows<tensor<4xf32>>) attributes {cyclic, stage = 1 : i64, implementation = @cell_cpu, scratch_bytes = 0 : i64, task_type = (tensor<4xf32>, i32) -> tensor<4xf32>}
func.func private @cell_cpu(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
  return
}

// A row is a view of the table behind a bounds check; a task is a call of the
// kernel's helper with the words of its row; a depth is read off the stamp.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr, %[[W:[a-z0-9]+]]: i32, %[[H:[a-z0-9]+]]: !llvm.struct<(i64, i64)>) -> !llvm.struct<(i64, i64)>
// CHECK:         llvm.call @dynbatch_check_index(%[[CTX]],
// CHECK:         arith.xori
// CHECK:         arith.select
// CHECK:         %[[N:.*]] = arith.extui %[[W]] : i32 to i64
// CHECK:         %[[BLOCK:.*]] = llvm.call @dynbatch_enqueue_cell(%[[CTX]], %{{.*}}, %{{.*}}, %[[N]]) : (!llvm.ptr, i64, i64, i64) -> i64
// CHECK:         return %{{.*}} : !llvm.struct<(i64, i64)>
func.func @main(%w: i32, %h: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @E : tensor<10x4xf32>
  %x = dynbatch.lookup %E[%w] : tensor<10x4xf32>, i32 -> tensor<4xf32>
  %d = dynbatch.depth %h in 1 : tensor<4xf32>
  %y = dynbatch.enqueue @cell(%x, %w) depth(%d) : (tensor<4xf32>, i32) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @dynbatch_entry(
// CHECK:         call @main(
// CHECK:         llvm.store %{{.*}}, %{{.*}} : !llvm.struct<(i64, i64)>, !llvm.ptr
