// RUN: dynbatch-opt %s --convert-dynbatch-gpu-to-cuda --split-input-file | FileCheck %s

// A launch in a loop: memory for its arguments is allocated once.

// CHECK: llvm.func @dynbatch_rt_gpu_launch(!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64, i64, i64, !llvm.ptr, i64, !llvm.ptr)
// CHECK: llvm.mlir.global internal constant @[[PLACE:.*]]("{{.*}}gpu-to-cuda.mlir:41:7\00")
// CHECK: llvm.mlir.global internal constant @[[NAME:.*]]("cell_0\00")
// CHECK: llvm.mlir.global internal constant @kernels_data(".version 7.0\00") {{.*}}alignment = 64
// CHECK-NOT: gpu.
// CHECK: llvm.mlir.global internal constant @kernels() {{.*}} : !llvm.struct<(i32, i32, ptr, i64)> {
// CHECK-DAG: %[[VERSION:.*]] = llvm.mlir.constant(1 : {{.*}}) : i32
// CHECK-DAG: %[[PTX:.*]] = llvm.mlir.constant(0 : {{.*}}) : i32
// CHECK-DAG: %[[DATA:.*]] = llvm.mlir.addressof @kernels_data
// CHECK-DAG: %[[SIZE:.*]] = llvm.mlir.constant(13 : {{.*}}) : i64
// CHECK: llvm.insertvalue %[[VERSION]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[PTX]], %{{.*}}[1]
// CHECK: llvm.insertvalue %[[DATA]], %{{.*}}[2]
// CHECK: llvm.insertvalue %[[SIZE]], %{{.*}}[3]
// CHECK: func.func private @cell_launch(%[[ROWS:.*]]: !llvm.ptr, %[[COUNT:.*]]: index, %[[SCALE:.*]]: f32) {
// CHECK: %[[ARGUMENTS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, i64, f32)>
// CHECK: %[[ADDRESSES:.*]] = llvm.alloca %{{.*}} x !llvm.array<3 x ptr>
// CHECK: scf.for
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[ARGUMENTS]][0, 0]
// CHECK: llvm.store %[[ROWS]], %[[FIELD]]
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[ADDRESSES]][0, 0]
// CHECK: llvm.store %[[FIELD]], %[[SLOT]]
// CHECK: llvm.getelementptr %[[ARGUMENTS]][0, 1]
// CHECK: llvm.getelementptr %[[ARGUMENTS]][0, 2]
// CHECK: %[[IMAGE:.*]] = llvm.mlir.addressof @kernels :
// CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @[[NAME]] :
// CHECK: %[[BYTES:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[WHERE:.*]] = llvm.mlir.addressof @[[PLACE]] :
// CHECK: llvm.call @dynbatch_rt_gpu_launch(%[[IMAGE]], %[[TEXT]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES]], %[[ADDRESSES]], %{{.*}}, %[[WHERE]])
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">, assembly = ".version 7.0\00">]
  func.func private @cell_launch(%rows: !llvm.ptr, %count: index, %scale: f32) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %bytes = arith.constant 100 : i32
    scf.for %i = %zero to %count step %one {
      gpu.launch_func @kernels::@cell_0 blocks in (%count, %one, %one) threads in (%count, %one, %one)
        dynamic_shared_memory_size %bytes args(%rows : !llvm.ptr, %count : index, %scale : f32)
    }
    return
  }
}

// -----

// Equal texts are one constant; a module may have several images, of all kinds.

// CHECK-COUNT-1: ("same\00")
// CHECK-NOT: ("same\00")
// CHECK: @a() {{.*}} {
// CHECK: llvm.mlir.constant(1 : {{.*}}) : i32
// CHECK: llvm.mlir.constant(1 : {{.*}}) : i32
// CHECK: @b() {{.*}} {
// CHECK: llvm.mlir.constant(1 : {{.*}}) : i32
// CHECK: llvm.mlir.constant(2 : {{.*}}) : i32
// CHECK: llvm.call @dynbatch_rt_gpu_launch
// CHECK: llvm.call @dynbatch_rt_gpu_launch
module attributes {gpu.container_module} {
  gpu.binary @a [#gpu.object<#nvvm.target, bin = "\7FELF">]
  gpu.binary @b [#gpu.object<#nvvm.target, "fat">]
  func.func private @launch() {
    %one = arith.constant 1 : i64
    gpu.launch_func @a::@same blocks in (%one, %one, %one) threads in (%one, %one, %one) : i64
    gpu.launch_func @b::@same blocks in (%one, %one, %one) threads in (%one, %one, %one) : i64
    return
  }
}

// -----

// A module without kernels stays.

// CHECK-LABEL: func.func @nothing
// CHECK-NOT: dynbatch_rt_gpu_launch
func.func @nothing() {
  return
}
