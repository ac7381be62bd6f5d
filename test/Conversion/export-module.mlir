// RUN: dynbatch-opt %s --dynbatch-pass-context --convert-dynbatch-to-llvm --convert-to-llvm --reconcile-unrealized-casts --dynbatch-export-module | FileCheck %s

// CHECK-NOT:   dynbatch.kernel
// CHECK:       llvm.func internal @k_cpu
// CHECK:       llvm.func internal @main
// CHECK:       llvm.mlir.global internal constant @dynbatch_kernels() {{.*}}: !llvm.array<1 x ptr> {
// CHECK:         llvm.mlir.addressof @k_cpu
// CHECK:       llvm.mlir.global external constant @dynbatch_module()
// CHECK-DAG:     llvm.mlir.addressof @dynbatch_descriptor
// CHECK-DAG:     llvm.mlir.addressof @dynbatch_entry
// CHECK-DAG:     llvm.mlir.zero
// CHECK-DAG:     llvm.mlir.addressof @dynbatch_kernels
dynbatch.kernel private @k(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xf32>>) attributes {stage = 0 : i64, implementation = @k_cpu, scratch_bytes = 0 : i64, task_type = (tensor<4xf32>) -> tensor<4xf32>}
func.func private @k_cpu(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
  return
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %y = dynbatch.enqueue @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
