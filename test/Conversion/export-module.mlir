// RUN: dynbatch-opt %s --dynbatch-export-module | FileCheck %s

// One table for everything; the rest becomes internal.
// CHECK: llvm.mlir.global internal constant @dynbatch_descriptor
// CHECK: llvm.func internal @dynbatch_entry(%{{[^)]*}}) {
// CHECK: llvm.func internal @main(%{{[^)]*}}) {
// CHECK: llvm.func internal @init(%{{[^)]*}}) {
// CHECK: llvm.func internal @first(
// CHECK: llvm.func internal @second(
// CHECK: llvm.func @dynbatch_rt_flush(!llvm.ptr){{$}}
// CHECK-NOT: dynbatch.kernel
// CHECK: llvm.mlir.global internal constant @dynbatch_kernels() {addr_space = 0 : i32} : !llvm.array<2 x ptr> {
// CHECK: %[[FIRST:.*]] = llvm.mlir.addressof @first
// CHECK: llvm.insertvalue %[[FIRST]], %{{.*}}[0]
// CHECK: %[[SECOND:.*]] = llvm.mlir.addressof @second
// CHECK: llvm.insertvalue %[[SECOND]], %{{.*}}[1]
// CHECK: llvm.mlir.global external constant @dynbatch_module() {addr_space = 0 : i32} : !llvm.struct<(i32, i32, ptr, ptr, ptr, ptr)> {
// CHECK: %[[VERSION:.*]] = llvm.mlir.constant({{[0-9]+}} : i32)
// CHECK: llvm.insertvalue %[[VERSION]], %{{.*}}[0]
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.insertvalue %[[COUNT]], %{{.*}}[1]
// CHECK: %[[DESCRIPTOR:.*]] = llvm.mlir.addressof @dynbatch_descriptor
// CHECK: llvm.insertvalue %[[DESCRIPTOR]], %{{.*}}[2]
// CHECK: %[[ENTRY:.*]] = llvm.mlir.addressof @dynbatch_entry
// CHECK: llvm.insertvalue %[[ENTRY]], %{{.*}}[3]
// CHECK: %[[PROLOGUE:.*]] = llvm.mlir.addressof @init
// CHECK: llvm.insertvalue %[[PROLOGUE]], %{{.*}}[4]
// CHECK: %[[KERNELS:.*]] = llvm.mlir.addressof @dynbatch_kernels
// CHECK: llvm.insertvalue %[[KERNELS]], %{{.*}}[5]

llvm.mlir.global internal constant @dynbatch_descriptor("{}\00")
llvm.func @dynbatch_entry(%ctx: !llvm.ptr, %args: !llvm.ptr, %results: !llvm.ptr) {
  llvm.return
}
llvm.func @main(%ctx: !llvm.ptr) attributes {dynbatch.entry} {
  llvm.call @dynbatch_rt_flush(%ctx) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @init(%ctx: !llvm.ptr) attributes {dynbatch.prologue} {
  llvm.return
}
llvm.func @first(%rows: !llvm.ptr, %n: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
  llvm.return
}
llvm.func @second(%rows: !llvm.ptr, %n: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
  llvm.return
}
llvm.func @dynbatch_rt_flush(!llvm.ptr)
dynbatch.kernel private @a(index, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @first, stage = 0 : i64, task_type = () -> tensor<4xf32>}
dynbatch.kernel private @b(index, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @second, stage = 1 : i64, task_type = () -> tensor<4xf32>}
