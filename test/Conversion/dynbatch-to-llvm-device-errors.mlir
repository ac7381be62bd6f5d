// RUN: dynbatch-opt %s --convert-dynbatch-to-llvm=device=cuda --split-input-file --verify-diagnostics

func.func @main(%ctx: !llvm.ptr) -> tensor<2xf32> attributes {dynbatch.entry} {
  // expected-error @+2 {{'arith.constant' op is a tensor in host memory, which the device cannot read: run dynbatch-hoist-prologue{constants=true} first}}
  // expected-error @+1 {{failed to legalize operation 'arith.constant'}}
  %0 = arith.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%ctx: !llvm.ptr) -> tensor<2xf32> attributes {dynbatch.entry} {
  // expected-error @+2 {{'tensor.empty' op is a tensor in host memory}}
  // expected-error @+1 {{failed to legalize operation 'tensor.empty'}}
  %0 = tensor.empty() : tensor<2xf32>
  return %0 : tensor<2xf32>
}
