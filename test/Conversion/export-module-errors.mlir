// RUN: dynbatch-opt %s --dynbatch-export-module --split-input-file --verify-diagnostics

// expected-error @below {{no symbol 'dynbatch_entry': run convert-dynbatch-to-llvm first}}
module {
}

// -----

// expected-error @below {{no symbol 'dynbatch_descriptor': run convert-dynbatch-to-llvm first}}
module {
llvm.func @dynbatch_entry(%ctx: !llvm.ptr, %args: !llvm.ptr, %results: !llvm.ptr) {
  llvm.return
}
}

// -----

// expected-error @below {{'dynbatch.kernel' op has no implementation: lower kernels for a target first}}
dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
llvm.mlir.global internal constant @dynbatch_descriptor("{}\00")
llvm.func @dynbatch_entry(%ctx: !llvm.ptr, %args: !llvm.ptr, %results: !llvm.ptr) {
  llvm.return
}
