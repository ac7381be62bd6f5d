// RUN: dynbatch-opt %s --dynbatch-pass-context --convert-dynbatch-to-llvm=device=cuda | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-pass-context --convert-dynbatch-to-llvm | FileCheck %s --check-prefix=HOST
// RUN: not dynbatch-opt %s --convert-dynbatch-to-llvm=device=tpu 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dynbatch-opt %s --convert-dynbatch-to-llvm="device=cuda tensors=buffers" 2>&1 | FileCheck %s --check-prefix=BUFFERS

// UNKNOWN: error: convert-dynbatch-to-llvm: device must be cuda or empty, but is 'tpu'
// BUFFERS: error: convert-dynbatch-to-llvm: host code cannot compute in a device's memory

// The descriptor names the device, and tensors are read through the runtime:
// 4 bytes, behind the check of the index. The prologue has the host's memory.

// CHECK: @dynbatch_descriptor("{\22adts\22:[],\22device\22:\22cuda\22,
// CHECK: llvm.func @dynbatch_rt_read(!llvm.ptr, i64, i64, i64) -> !llvm.ptr
// CHECK: func.func @main(%[[CTX:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.struct<(i64, i64)>, %[[I:.*]]: index)
// CHECK-DAG: %[[STAMP:.*]] = llvm.extractvalue %[[X]][1]
// CHECK-DAG: %[[BASE:.*]] = llvm.extractvalue %[[X]][0]
// CHECK: llvm.call @dynbatch_check_index
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[BASE]], %{{.*}} : i64
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[COPY:.*]] = llvm.call @dynbatch_rt_read(%[[CTX]], %[[ADDRESS]], %[[STAMP]], %[[FOUR]])
// CHECK-NEXT: %[[VALUE:.*]] = llvm.load %[[COPY]] : !llvm.ptr -> f32
// CHECK-NOT: dynbatch_rt_flush
// CHECK: func.func private @prologue
// CHECK: arith.constant dense<1.0

// HOST-NOT: dynbatch_rt_read
// HOST: @dynbatch_descriptor("{\22adts\22:[],\22entry\22
// HOST: call @dynbatch_force

ml_program.global private @one(#ml_program.extern<tensor<2xf32>>) : tensor<2xf32>
func.func @main(%x: tensor<4xf32>, %i: index) -> (f32, tensor<2xf32>) attributes {dynbatch.entry} {
  %v = dynbatch.read %x[%i] : tensor<4xf32>
  %one = ml_program.global_load_const @one : tensor<2xf32>
  return %v, %one : f32, tensor<2xf32>
}
func.func private @prologue() attributes {dynbatch.prologue} {
  %one = arith.constant dense<1.0> : tensor<2xf32>
  dynbatch.define @one = %one : tensor<2xf32>
  return
}
