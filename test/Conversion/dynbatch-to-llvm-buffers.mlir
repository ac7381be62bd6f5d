// RUN: dynbatch-opt %s --convert-dynbatch-to-llvm=tensors=buffers | FileCheck %s

// Host code computes: tensors stay tensors, and are addresses only where data
// structures hold them.

dynbatch.adt @Box {
  dynbatch.ctor @Box(tensor<2xf32>, !dynbatch.adt<@Box>)
}
ml_program.global private @W(#ml_program.extern<tensor<3x2xf32>>) : tensor<3x2xf32>

// What comes out of a cell may be changed by nobody: a tensor that is not
// writable. What goes in is a copy, and so is what a function returns.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[BOX:.*]]: !llvm.ptr, %[[X:.*]]: tensor<2xf32>) -> (!llvm.ptr, tensor<2xf32>)
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[BOX]][8]
// CHECK: %[[HANDLE:.*]] = llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.struct<(i64, i64)>
// CHECK: %[[ADDRESS:.*]] = llvm.extractvalue %[[HANDLE]][0]
// CHECK: llvm.inttoptr %[[ADDRESS]]
// CHECK: %[[BUFFER:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<2xf32>
// CHECK: %[[FIELD:.*]] = bufferization.to_tensor %[[BUFFER]] restrict : memref<2xf32> to tensor<2xf32>
// CHECK-NOT: writable
// CHECK: %[[SUM:.*]] = linalg.add ins(%[[FIELD]], %[[X]] : tensor<2xf32>, tensor<2xf32>) outs(%[[FIELD]] : tensor<2xf32>)
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[SUM]]) : tensor<2xf32>
// CHECK: %[[MEMORY:.*]] = bufferization.to_buffer %[[COPY]] : tensor<2xf32> to memref<2xf32>
// CHECK: %[[POINTER:.*]] = memref.extract_aligned_pointer_as_index %[[MEMORY]]
// CHECK: %[[INT:.*]] = arith.index_cast %[[POINTER]] : index to i64
// CHECK: %[[READY:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.insertvalue %[[INT]], %{{.*}}[0]
// CHECK: %[[NEW:.*]] = llvm.insertvalue %[[READY]], %{{.*}}[1]
// CHECK: %[[CELL:.*]] = llvm.call @dynbatch_heap
// CHECK: llvm.store %[[NEW]], %{{.*}} : !llvm.struct<(i64, i64)>
// CHECK: %[[RETURNED:.*]] = bufferization.alloc_tensor() copy(%[[FIELD]])
// CHECK: return %[[CELL]], %[[RETURNED]]
func.func @main(%ctx: !llvm.ptr, %box: !dynbatch.adt<@Box>, %x: tensor<2xf32>) -> (!dynbatch.adt<@Box>, tensor<2xf32>) attributes {dynbatch.entry} {
  %f = dynbatch.field @Box[0] of %box : !dynbatch.adt<@Box> -> tensor<2xf32>
  %s = linalg.add ins(%f, %x : tensor<2xf32>, tensor<2xf32>) outs(%f : tensor<2xf32>) -> tensor<2xf32>
  %new = dynbatch.construct @Box(%s, %box) : (tensor<2xf32>, !dynbatch.adt<@Box>) -> !dynbatch.adt<@Box>
  return %new, %f : !dynbatch.adt<@Box>, tensor<2xf32>
}

// CHECK-LABEL: func.func private @lookup(
// CHECK: llvm.call @dynbatch_check_index
// CHECK: %[[ROW:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2xf32> to tensor<2xf32>
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[ROW]])
// CHECK: return %[[COPY]]
func.func private @lookup(%ctx: !llvm.ptr, %i: i32) -> tensor<2xf32> {
  %W = ml_program.global_load_const @W : tensor<3x2xf32>
  %x = dynbatch.lookup %W[%i] : tensor<3x2xf32>, i32 -> tensor<2xf32>
  return %x : tensor<2xf32>
}

// Sequences: an element is stored as a copy.
// CHECK-LABEL: func.func private @sequence(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: index, %[[X:.*]]: tensor<2xf32>)
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK: bufferization.to_buffer %[[COPY]]
// CHECK: llvm.store %{{.*}} : !llvm.struct<(i64, i64)>
// CHECK: return
func.func private @sequence(%ctx: !llvm.ptr, %s: !dynbatch.seq<tensor<2xf32>>, %i: index, %x: tensor<2xf32>) {
  dynbatch.seq_set %s[%i] = %x : !dynbatch.seq<tensor<2xf32>>
  return
}

// Constants and reads stay as they are, or need no flush.
// CHECK-LABEL: func.func private @constant(
// CHECK: %[[CONSTANT:.*]] = arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[CONSTANT]][%{{.*}}]
// CHECK: return %{{.*}}, %[[ELEMENT]]
func.func private @constant(%ctx: !llvm.ptr, %i: index) -> (tensor<2xf32>, f32) {
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  %1 = tensor.extract %0[%i] : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, f32
}

// CHECK-LABEL: func.func @dynbatch_entry(
// CHECK: %[[IN:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2xf32> to tensor<2xf32>
// CHECK: %[[R:.*]]:2 = call @main(%{{.*}}, %{{.*}}, %[[IN]]) : (!llvm.ptr, !llvm.ptr, tensor<2xf32>) -> (!llvm.ptr, tensor<2xf32>)
// CHECK: llvm.store %[[R]]#0, %{{.*}} : !llvm.ptr
// CHECK: bufferization.alloc_tensor() copy(%[[R]]#1)
// CHECK: llvm.store %{{.*}} : !llvm.struct<(i64, i64)>
