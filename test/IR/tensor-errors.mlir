// RUN: dynbatch-opt %s -split-input-file -verify-diagnostics

func.func @lookup(%E: tensor<9x4xf32>, %i: i32) {
  // expected-error @+1 {{a row of the table is 'tensor<4xf32>', but got 'tensor<9xf32>'}}
  %0 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<9xf32>
  return
}

// -----

func.func @lookup(%E: tensor<9x4xf32>, %i: i32) {
  // expected-error @+1 {{a row of the table is 'tensor<4xf32>', but got 'tensor<4xf64>'}}
  %0 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf64>
  return
}

// -----

func.func @lookup(%E: tensor<f32>, %i: i32) {
  // expected-error @+1 {{the table needs at least one dimension}}
  %0 = dynbatch.lookup %E[%i] : tensor<f32>, i32 -> tensor<f32>
  return
}

// -----

func.func @lookup(%E: tensor<?x4xf32>, %i: i32) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = dynbatch.lookup %E[%i] : tensor<?x4xf32>, i32 -> tensor<4xf32>
  return
}

// -----

func.func @lookup(%E: tensor<9x4xf32>, %i: f32) {
  // expected-error @+1 {{operand #1 must be signless integer or index}}
  %0 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, f32 -> tensor<4xf32>
  return
}

// -----

func.func @read(%t: tensor<2x3xf32>, %i: index) {
  // expected-error @+1 {{needs 2 indices, but has 1}}
  %0 = dynbatch.read %t[%i] : tensor<2x3xf32>
  return
}

// -----

func.func @read(%t: tensor<f32>, %i: index) {
  // expected-error @+1 {{needs 0 indices, but has 1}}
  %0 = dynbatch.read %t[%i] : tensor<f32>
  return
}

// -----

func.func @read(%t: tensor<?xf32>, %i: index) {
  // expected-error @+1 {{'tensor' must be statically shaped tensor}}
  %0 = dynbatch.read %t[%i] : tensor<?xf32>
  return
}

// -----

func.func @read(%t: f32) {
  // expected-error @+1 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = dynbatch.read %t[] : f32
  return
}

// -----

func.func @read(%t: tensor<f32>) {
  // expected-error @+1 {{result is the element type}}
  %0 = "dynbatch.read"(%t) : (tensor<f32>) -> f64
  return
}

// -----

func.func @block() {
  // expected-error @+1 {{captures values from outside, it has no arguments}}
  "dynbatch.block"() ({
  ^bb0(%x: f32):
    dynbatch.yield
  }) : () -> ()
  return
}

// -----

func.func @block(%x: tensor<4xf32>) {
  // expected-error @+1 {{region branch point has 0 operands, but region successor needs 1 inputs}}
  %0 = dynbatch.block -> tensor<4xf32> {
    // expected-note @+1 {{region branch point}}
    dynbatch.yield
  }
  return
}

// -----

func.func @block(%x: tensor<4xf32>) {
  // expected-error @+1 {{successor operand type #0 'tensor<4xf32>' should match successor input type #0 'tensor<5xf32>'}}
  %0 = dynbatch.block -> tensor<5xf32> {
    // expected-note @+1 {{region branch point}}
    dynbatch.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @block(%x: f32) {
  // expected-error @+1 {{result #0 must be variadic of statically shaped tensor}}
  %0 = dynbatch.block -> f32 {
    dynbatch.yield %x : f32
  }
  return
}
