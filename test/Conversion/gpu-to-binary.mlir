// PTX needs no toolkit and leaves nothing unresolved, for old and new chips.

// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu --dynbatch-gpu-to-binary="chip=sm_80 toolkit=%t.nowhere" | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu --dynbatch-gpu-to-binary="chip=sm_90 features=+ptx80 toolkit=%t.nowhere" | FileCheck %s --check-prefixes=CHECK,SM90

// CHECK-NOT: __nv_
// CHECK: gpu.launch_func @kernels::@cell_0
// CHECK: gpu.binary @kernels
// SM80-SAME: .version 7.0{{.*}}.target sm_80
// SM90-SAME: .version 8.0{{.*}}.target sm_90
// CHECK-SAME: .visible .entry cell_0
// CHECK-SAME: .maxntid 64, 1, 1
// CHECK-SAME: ld.global.v4.{{[bf]}}32
// CHECK-SAME: bar.sync
// CHECK-SAME: ld.shared.v4.{{[bf]}}32
// CHECK-SAME: fma.rn.f32
// CHECK-NOT: __nv_

ml_program.global private @W(#ml_program.extern : tensor<8x4xf32>) : tensor<8x4xf32>

dynbatch.kernel private @cell(%n: index, %x: !dynbatch.rows<tensor<8xf32>>, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = (tensor<8xf32>) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  %W = ml_program.global_load_const @W : tensor<8x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %Y = linalg.matmul ins(%X, %W : tensor<?x8xf32>, tensor<8x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  %Z = linalg.tanh ins(%Y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %E = linalg.erf ins(%Z : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  dynbatch.scatter %E into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}
