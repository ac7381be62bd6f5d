// RUN: dynbatch-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(gpu.module(dynbatch-prepare-mma))" | FileCheck %s

// Fragments of bf16 are words of two elements. Others stay.

// CHECK-LABEL: gpu.func @multiply(
// CHECK-SAME: %[[A:.*]]: vector<4x2xbf16>, %[[B:.*]]: vector<2x2xbf16>, %[[C:.*]]: vector<2x2xf32>
// CHECK: %[[ROW0:.*]] = vector.extract %[[A]][0] : vector<2xbf16> from vector<4x2xbf16>
// CHECK: %[[WORD0:.*]] = vector.bitcast %[[ROW0]] : vector<2xbf16> to vector<1xi32>
// CHECK: %[[A0:.*]] = vector.extract %[[WORD0]][0] : i32 from vector<1xi32>
// CHECK: %[[ROW3:.*]] = vector.extract %[[A]][3]
// CHECK: %[[WORD3:.*]] = vector.bitcast %[[ROW3]]
// CHECK: %[[A3:.*]] = vector.extract %[[WORD3]][0]
// CHECK: vector.extract %[[B]][1] : vector<2xbf16> from vector<2x2xbf16>
// CHECK: %[[C0:.*]] = vector.extract %[[C]][0, 0]
// CHECK: %[[D:.*]] = nvvm.mma.sync A[%[[A0]], %{{.*}}, %{{.*}}, %[[A3]]] B[%{{.*}}, %{{.*}}] C[%[[C0]], %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK-SAME: multiplicandAPtxType = #nvvm.mma_type<bf16>
// CHECK: %[[D0:.*]] = llvm.extractvalue %[[D]][0]
// CHECK: vector.insert %[[D0]], %{{.*}} [0, 0]
// CHECK: %[[D3:.*]] = llvm.extractvalue %[[D]][3]
// CHECK: %[[RESULT:.*]] = vector.insert %[[D3]], %{{.*}} [1, 1]
// CHECK: memref.store %[[RESULT]]
// CHECK: nvgpu.mma.sync
gpu.module @kernels {
  gpu.func @multiply(%a: vector<4x2xbf16>, %b: vector<2x2xbf16>, %c: vector<2x2xf32>, %h: vector<4x2xf16>, %g: vector<2x2xf16>, %m: memref<vector<2x2xf32>>) kernel {
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    memref.store %d, %m[] : memref<vector<2x2xf32>>
    %e = nvgpu.mma.sync(%h, %g, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    memref.store %e, %m[] : memref<vector<2x2xf32>>
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @build(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32,
// CHECK-DAG: %[[FIRST:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xf32>
// CHECK-DAG: vector.insert %[[FIRST]], %{{.*}} [0] : vector<2xf32> into vector<2x2xf32>
// CHECK-DAG: %[[SECOND:.*]] = vector.from_elements %[[B]], %[[A]] : vector<2xf32>
// CHECK-DAG: vector.insert %[[SECOND]], %{{.*}} [1] : vector<2xf32> into vector<2x2xf32>
gpu.module @kernels {
  gpu.func @build(%a: f32, %b: f32, %m: memref<vector<2x2xf32>>) kernel {
    %v = vector.from_elements %a, %b, %b, %a : vector<2x2xf32>
    memref.store %v, %m[] : memref<vector<2x2xf32>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @short(%a: vector<2x2xbf16>, %b: vector<1x2xbf16>, %c: vector<2x2xf32>, %m: memref<vector<2x2xf32>>) kernel {
    // expected-error@+1 {{'nvgpu.mma.sync' op is not supported with bf16: expected the shape [16, 8, 16] and a result of f32}}
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 8]} : (vector<2x2xbf16>, vector<1x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    memref.store %d, %m[] : memref<vector<2x2xf32>>
    gpu.return
  }
}
