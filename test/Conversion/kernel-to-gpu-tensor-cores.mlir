// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu=allow-tf32=true --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu=allow-tf32=true --dynbatch-gpu-to-binary="chip=sm_80 toolkit=%t.nowhere" | FileCheck %s --check-prefix=PTX
// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu --dynbatch-gpu-to-binary="chip=sm_90 toolkit=%t.nowhere" | FileCheck %s --check-prefix=PTX-EXACT

// PTX-DAG: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-EXACT-NOT: tf32
// PTX-EXACT-DAG: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX-EXACT-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32

ml_program.global private @W(#ml_program.extern : tensor<32x16xf32>) : tensor<32x16xf32>
ml_program.global private @H(#ml_program.extern : tensor<16x40xbf16>) : tensor<16x40xbf16>
ml_program.global private @G(#ml_program.extern : tensor<32x16xf16>) : tensor<32x16xf16>
ml_program.global private @N(#ml_program.extern : tensor<32x15xf32>) : tensor<32x15xf32>

// Two warps beside each other, each with two times 16 rows; terms side by side
// in both tiles, rows of tiles padded.

// CHECK-LABEL: func.func private @full_launch(
// TF32: %[[THREADS:.*]] = arith.constant 64 : index
// CHECK-LABEL: gpu.func @full_0(
// TF32-SAME: workgroup(%{{.*}} : memref<2x64x20xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<2x16x20xf32, #gpu.address_space<workgroup>>
// TF32: vector.load {{.*}} vector<4xf32>
// TF32: gpu.barrier
// TF32: scf.for
// TF32: memref.load %{{.*}} : memref<2x64x20xf32, #gpu.address_space<workgroup>>
// TF32: vector.from_elements {{.*}} : vector<4x1xf32>
// TF32: nvgpu.mma.sync(%{{.*}}, %{{.*}}, %{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// TF32-NOT: math.fma
// EXACT-NOT: nvgpu.mma.sync
// EXACT: math.fma
dynbatch.kernel private @full(%n: index, %x: !dynbatch.rows<tensor<32xf32>>, %r: !dynbatch.rows<tensor<16xf32>>)
    attributes {task_type = (tensor<32xf32>) -> tensor<16xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<32xf32>> -> tensor<?x32xf32>
  %W = ml_program.global_load_const @W : tensor<32x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %Y = linalg.matmul ins(%X, %W : tensor<?x32xf32>, tensor<32x16xf32>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x16xf32>, !dynbatch.rows<tensor<16xf32>>
  dynbatch.return
}

// bf16, with weights that lie along the sum; terms behind the last one are zeros.

// CHECK-LABEL: gpu.func @brain_0(
// CHECK-SAME: memref<2x64x40xbf16, #gpu.address_space<workgroup>>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : bf16
// CHECK: nvgpu.mma.sync(%{{.*}}, %{{.*}}, %{{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
dynbatch.kernel private @brain(%n: index, %x: !dynbatch.rows<tensor<40xbf16>>, %r: !dynbatch.rows<tensor<16xf32>>)
    attributes {task_type = (tensor<40xbf16>) -> tensor<16xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<40xbf16>> -> tensor<?x40xbf16>
  %H = ml_program.global_load_const @H : tensor<16x40xbf16>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %Y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%X, %H : tensor<?x40xbf16>, tensor<16x40xbf16>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x16xf32>, !dynbatch.rows<tensor<16xf32>>
  dynbatch.return
}

// f16.

// CHECK-LABEL: gpu.func @half_0(
// CHECK: nvgpu.mma.sync(%{{.*}}, %{{.*}}, %{{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
dynbatch.kernel private @half(%n: index, %x: !dynbatch.rows<tensor<32xf16>>, %r: !dynbatch.rows<tensor<16xf32>>)
    attributes {task_type = (tensor<32xf16>) -> tensor<16xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<32xf16>> -> tensor<?x32xf16>
  %G = ml_program.global_load_const @G : tensor<32x16xf16>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %Y = linalg.matmul ins(%X, %G : tensor<?x32xf16>, tensor<32x16xf16>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x16xf32>, !dynbatch.rows<tensor<16xf32>>
  dynbatch.return
}

// An odd number of columns, and a few rows: without tensor cores.

// CHECK-LABEL: gpu.func @odd_0(
// CHECK-NOT: nvgpu.mma.sync
// CHECK: math.fma
// CHECK-LABEL: gpu.func @few_0(
// CHECK-NOT: nvgpu.mma.sync
// CHECK: math.fma
dynbatch.kernel private @odd(%n: index, %x: !dynbatch.rows<tensor<32xf32>>, %r: !dynbatch.rows<tensor<15xf32>>)
    attributes {task_type = (tensor<32xf32>) -> tensor<15xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<32xf32>> -> tensor<?x32xf32>
  %N = ml_program.global_load_const @N : tensor<32x15xf32>
  %e = tensor.empty(%n) : tensor<?x15xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x15xf32>) -> tensor<?x15xf32>
  %Y = linalg.matmul ins(%X, %N : tensor<?x32xf32>, tensor<32x15xf32>) outs(%z : tensor<?x15xf32>) -> tensor<?x15xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x15xf32>, !dynbatch.rows<tensor<15xf32>>
  dynbatch.return
}
dynbatch.kernel private @few(%n: index, %x: !dynbatch.rows<tensor<4x32xf32>>, %w: !dynbatch.rows<tensor<32x16xf32>>, %r: !dynbatch.rows<tensor<4x16xf32>>)
    attributes {task_type = (tensor<4x32xf32>, tensor<32x16xf32>) -> tensor<4x16xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<4x32xf32>> -> tensor<?x4x32xf32>
  %W = dynbatch.gather %w[%c0, %n] : !dynbatch.rows<tensor<32x16xf32>> -> tensor<?x32x16xf32>
  %e = tensor.empty(%n) : tensor<?x4x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %Y = linalg.batch_matmul ins(%X, %W : tensor<?x4x32xf32>, tensor<?x32x16xf32>) outs(%z : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x4x16xf32>, !dynbatch.rows<tensor<4x16xf32>>
  dynbatch.return
}
