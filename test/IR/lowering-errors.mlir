// RUN: dynbatch-opt %s -split-input-file -verify-diagnostics

func.func @tag(%x: i32) {
  // expected-error @+1 {{operand #0 must be value of an algebraic data type}}
  %0 = dynbatch.tag %x : i32
  return
}

// -----

func.func @field(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{undeclared ADT @Tree}}
  %0 = dynbatch.field @Leaf[0] of %t : !dynbatch.adt<@Tree> -> i32
  return
}

// -----

// expected-note @+1 {{declared here}}
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @field(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{ADT @Tree has no constructor @Node}}
  %0 = dynbatch.field @Node[0] of %t : !dynbatch.adt<@Tree> -> i32
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @field(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{constructor @Leaf has 1 fields, and no field #1}}
  %0 = dynbatch.field @Leaf[1] of %t : !dynbatch.adt<@Tree> -> i32
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @field(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{constructor @Leaf has 1 fields, and no field #-1}}
  %0 = dynbatch.field @Leaf[-1] of %t : !dynbatch.adt<@Tree> -> i32
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @field(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{field #0 of @Leaf is 'i32', not 'f32'}}
  %0 = dynbatch.field @Leaf[0] of %t : !dynbatch.adt<@Tree> -> f32
  return
}

// -----

func.func @seq_alloc(%n: index) {
  // expected-error @+1 {{result #0 must be sequence of values}}
  %0 = dynbatch.seq_alloc %n : i32
  return
}

// -----

func.func @seq_set(%s: i32, %i: index, %x: i32) {
  // expected-error @+1 {{'seq' must be sequence of values}}
  dynbatch.seq_set %s[%i] = %x : i32
  return
}

// -----

func.func @seq_set(%s: !dynbatch.seq<i32>, %i: index, %x: f32) {
  // expected-error @+1 {{value is the element type}}
  "dynbatch.seq_set"(%s, %i, %x) : (!dynbatch.seq<i32>, index, f32) -> ()
  return
}

// -----

func.func @check_index(%i: index) {
  // expected-error @+1 {{expected attribute value}}
  dynbatch.check_index %i, %i, what
  return
}

// -----

func.func @row(%x: !dynbatch.rows<tensor<4xf32>>, %i: index) {
  // expected-error @+1 {{the buffer of a row is 'memref<1x4xf32>', not 'memref<4xf32>'}}
  %0 = dynbatch.row %x[%i] : !dynbatch.rows<tensor<4xf32>> -> memref<4xf32>
  return
}

// -----

func.func @row(%x: tensor<4xf32>, %i: index) {
  // expected-error @+1 {{operand #0 must be one tensor (or scalar) per task of a batch}}
  %0 = dynbatch.row %x[%i] : tensor<4xf32> -> memref<4xf32>
  return
}
