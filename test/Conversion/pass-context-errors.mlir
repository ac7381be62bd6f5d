// RUN: dynbatch-opt %s --dynbatch-pass-context --split-input-file --verify-diagnostics

func.func private @outside(i32) -> i32
func.func @main(%x: i32) -> i32 attributes {dynbatch.entry} {
  // expected-error @below {{'func.call' op calls 'outside', which has no body: an instance program must be complete}}
  %0 = call @outside(%x) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @main(%x: i32) -> i32 attributes {dynbatch.entry} {
  // expected-error @below {{'func.constant' op is not supported: a function is not a value of an instance program}}
  %f = constant @main : (i32) -> i32
  return %x : i32
}

// -----

func.func @main(%f: (i32) -> i32, %x: i32) -> i32 {
  // expected-error @below {{'func.call_indirect' op is not supported: a function is not a value of an instance program}}
  %0 = call_indirect %f(%x) : (i32) -> i32
  return %0 : i32
}

// -----

ml_program.global private mutable @state(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main() -> tensor<2xf32> attributes {dynbatch.entry} {
  // expected-error @below {{'ml_program.global_load' op is not supported: instance programs are pure and only load parameters}}
  %0 = ml_program.global_load @state : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has a name that is reserved: it begins with 'dynbatch_'}}
func.func @dynbatch_entry() attributes {dynbatch.entry} {
  return
}

// -----

// expected-error @below {{'func.func' op input #1 cannot be of type 'i128': data are made of i1, i8, i16, i32, i64, index, f16, bf16, f32, f64 and tensors of static shape of them}}
func.func @main(%x: i32, %y: i128) attributes {dynbatch.entry} {
  return
}

// -----

// expected-error @below {{'func.func' op result #0 cannot be of type 'tensor<?xf32>'}}
func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> attributes {dynbatch.entry} {
  %y = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// expected-error @below {{'func.func' op input #0 cannot be of type 'memref<4xf32>'}}
func.func @main(%x: memref<4xf32>) attributes {dynbatch.entry} {
  return
}

// -----

// expected-error @below {{'func.func' op input #0 cannot be of type '!dynbatch.seq<tensor<2xsi32>>'}}
func.func @main(%x: !dynbatch.seq<tensor<2xsi32>>) attributes {dynbatch.entry} {
  return
}

// -----

// expected-error @below {{'func.func' op input #0 refers to the undeclared ADT @Nowhere}}
func.func @main(%x: !dynbatch.seq<!dynbatch.adt<@Nowhere>>) attributes {dynbatch.entry} {
  return
}

// -----

dynbatch.adt @A {
  // expected-error @below {{'dynbatch.ctor' op field #1 cannot be of type 'f80'}}
  dynbatch.ctor @C(i32, f80)
}

// -----

// expected-error @below {{'ml_program.global' op cannot be a parameter of type 'f32': expected a tensor of static shape of i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64}}
ml_program.global private @p(#ml_program.extern<f32>) : f32

// -----

func.func private @helper(%x: i7) {
  // expected-error @below {{'dynbatch.make_seq' op result cannot be of type '!dynbatch.seq<i7>'}}
  %s = dynbatch.make_seq %x : !dynbatch.seq<i7>
  return
}

// -----

dynbatch.kernel private @k(index, !dynbatch.rows<i128>, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @impl, stage = 0 : i64, task_type = (i128) -> tensor<4xf32>}
func.func private @impl()
func.func @main(%x: i32) -> tensor<4xf32> {
  %y = arith.extsi %x : i32 to i128
  // expected-error @below {{'dynbatch.enqueue' op operand #0 cannot be of type 'i128'}}
  %0 = dynbatch.enqueue @k(%y) : (i128) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
