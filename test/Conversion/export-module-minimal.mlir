// RUN: dynbatch-opt %s --dynbatch-export-module | FileCheck %s

// Neither kernels nor a prologue.
// CHECK: llvm.mlir.global internal constant @dynbatch_kernels() {addr_space = 0 : i32} : !llvm.array<0 x ptr>
// CHECK: llvm.mlir.global external constant @dynbatch_module()
// CHECK: %[[COUNT:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: llvm.insertvalue %[[COUNT]], %{{.*}}[1]
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.insertvalue %[[NULL]], %{{.*}}[4]

llvm.mlir.global internal constant @dynbatch_descriptor("{}\00")
llvm.func @dynbatch_entry(%ctx: !llvm.ptr, %args: !llvm.ptr, %results: !llvm.ptr) {
  llvm.return
}
