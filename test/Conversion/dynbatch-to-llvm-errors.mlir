// RUN: dynbatch-opt %s --convert-dynbatch-to-llvm --split-input-file --verify-diagnostics

// expected-error @below {{no entry: mark one function with 'dynbatch.entry'}}
module {
}

// -----

// expected-error @below {{ambiguous entry: mark exactly one function with 'dynbatch.entry'}}
module {
// expected-note @below {{candidate 'one'}}
func.func @one(%ctx: !llvm.ptr) attributes {dynbatch.entry} {
  return
}
// expected-note @below {{candidate 'two'}}
func.func @two(%ctx: !llvm.ptr) attributes {dynbatch.entry} {
  return
}
}

// -----

// expected-error @below {{the entry needs a body}}
func.func private @main(!llvm.ptr) attributes {dynbatch.entry}

// -----

// expected-error @below {{the entry must be a 'func.func'}}
llvm.func @main(%ctx: !llvm.ptr) attributes {dynbatch.entry} {
  llvm.return
}

// -----

ml_program.global private @W(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%ctx: !llvm.ptr) -> tensor<2xf32> attributes {dynbatch.entry} {
  // expected-error @+2 {{'ml_program.global_load_const' op loads 'W', which is not a parameter: expected an immutable global with an external value}}
  // expected-error @+1 {{failed to legalize operation 'ml_program.global_load_const'}}
  %0 = ml_program.global_load_const @W : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

dynbatch.kernel private @k(%x: tensor<2xf32>) -> tensor<2xf32> attributes {stage = 0 : i64} {
  dynbatch.return %x : tensor<2xf32>
}
func.func @main(%ctx: !llvm.ptr, %x: tensor<2xf32>) -> tensor<2xf32> attributes {dynbatch.entry} {
  // expected-error @+2 {{'dynbatch.enqueue' op kernel @k is not scheduled and lowered yet}}
  // expected-error @+1 {{failed to legalize operation 'dynbatch.enqueue'}}
  %0 = dynbatch.enqueue @k(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%ctx: !llvm.ptr) -> tensor<2xf32> attributes {dynbatch.entry} {
  // expected-error @+2 {{'arith.constant' op cannot pass a constant between tasks whose elements are not in the attribute itself}}
  // expected-error @+1 {{failed to legalize operation 'arith.constant'}}
  %0 = arith.constant dense_resource<blob> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
