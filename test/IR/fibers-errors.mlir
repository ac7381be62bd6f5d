// RUN: dynbatch-opt %s --split-input-file --verify-diagnostics

func.func @unknown() {
  // expected-error @+1 {{unknown function @f}}
  %f = dynbatch.spawn @f() : () -> !dynbatch.fiber
  return
}

// -----

dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @kernel(%x: tensor<4xf32>) {
  // expected-error @+1 {{unknown function @k}}
  %f = dynbatch.spawn @k(%x) : (tensor<4xf32>) -> !dynbatch.fiber<tensor<4xf32>>
  return
}

// -----

func.func private @f(%n: i32) -> i32 {
  return %n : i32
}
func.func @operands(%n: i64) {
  // expected-error @+1 {{does not fit function @f of type '(i32) -> i32'}}
  %f = dynbatch.spawn @f(%n) : (i64) -> !dynbatch.fiber<i32>
  return
}

// -----

func.func private @f(%n: i32) -> i32 {
  return %n : i32
}
func.func @results(%n: i32) {
  // expected-error @+1 {{does not fit function @f of type '(i32) -> i32'}}
  %f = dynbatch.spawn @f(%n) : (i32) -> !dynbatch.fiber<i64>
  return
}

// -----

func.func @join(%f: !dynbatch.fiber<i32>) {
  // expected-error @+1 {{gives ('i64'), but the fiber is '!dynbatch.fiber<i32>'}}
  %r = dynbatch.join %f : !dynbatch.fiber<i32> -> i64
  return
}

// -----

dynbatch.adt @A {
  // expected-error @+1 {{field #0 cannot be of type '!dynbatch.fiber<i32>'}}
  dynbatch.ctor @C(!dynbatch.fiber<i32>)
}
