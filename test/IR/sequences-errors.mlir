// RUN: dynbatch-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a sequence cannot hold 'memref<4xf32>': expected a scalar, a tensor of static shape, an ADT or a sequence}}
func.func private @f(!dynbatch.seq<memref<4xf32>>)

// -----

// expected-error @+1 {{a sequence cannot hold 'tensor<?xf32>'}}
func.func private @f(!dynbatch.seq<tensor<?xf32>>)

// -----

// expected-error @+1 {{a sequence cannot hold '!dynbatch.rows<i32>'}}
func.func private @f(!dynbatch.seq<!dynbatch.rows<i32>>)

// -----

func.func @make_seq(%x: i32, %y: f32) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%y' expects different type than prior uses: 'i32' vs 'f32'}}
  %0 = dynbatch.make_seq %x, %y : !dynbatch.seq<i32>
  return
}

// -----

func.func @make_seq(%x: i32, %y: f32) {
  // expected-error @+1 {{element #1 must be 'i32', but is 'f32'}}
  %0 = "dynbatch.make_seq"(%x, %y) : (i32, f32) -> !dynbatch.seq<i32>
  return
}

// -----

func.func @make_seq(%x: i32) {
  // expected-error @+1 {{invalid kind of type specified}}
  %0 = dynbatch.make_seq %x : i32
  return
}

// -----

func.func @length(%x: i32) {
  // expected-error @+1 {{operand #0 must be sequence of values}}
  %0 = dynbatch.length %x : i32
  return
}

// -----

func.func @get(%x: i32, %i: index) {
  // expected-error @+1 {{'seq' must be sequence of values}}
  %0 = dynbatch.get %x[%i] : i32
  return
}

// -----

func.func @get(%xs: !dynbatch.seq<i32>, %i: index) {
  // expected-error @+1 {{result is the element type}}
  %0 = "dynbatch.get"(%xs, %i) : (!dynbatch.seq<i32>, index) -> f32
  return
}

// -----

func.func @get(%xs: !dynbatch.seq<i32>, %i: i32) {
  // expected-error @+1 {{operand #1 must be index}}
  %0 = "dynbatch.get"(%xs, %i) : (!dynbatch.seq<i32>, i32) -> i32
  return
}

// -----

func.func @map(%xs: i32) {
  // expected-error @+1 {{expected a sequence, got 'i32'}}
  dynbatch.map (%x = %xs : i32) {}
  return
}

// -----

func.func @map() {
  // expected-error @+1 {{needs at least one sequence}}
  dynbatch.map () {}
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  // expected-error @+1 {{region has 2 arguments, but there are 1 sequences}}
  "dynbatch.map"(%xs) ({
  ^bb0(%x: i32, %y: i32):
    dynbatch.yield
  }) : (!dynbatch.seq<i32>) -> ()
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  // expected-error @+1 {{region argument #0 must be 'i32'}}
  "dynbatch.map"(%xs) ({
  ^bb0(%x: f32):
    dynbatch.yield
  }) : (!dynbatch.seq<i32>) -> ()
  return
}

// -----

func.func @map(%xs: i32) {
  // expected-error @+1 {{operand #0 must be variadic of sequence of values}}
  "dynbatch.map"(%xs) ({
  ^bb0(%x: i32):
    dynbatch.yield
  }) : (i32) -> ()
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    // expected-error @+1 {{must give 1 values, but gives 2}}
    dynbatch.yield %x, %x : i32, i32
  }
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  // expected-error @below {{must give 1 values, but gives 0}}
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {}
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<f32> {
    // expected-error @+1 {{value #0 must be 'f32', but is 'i32'}}
    dynbatch.yield %x : i32
  }
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  // expected-error @+1 {{result #0 must be variadic of sequence of values}}
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> i32 {
    dynbatch.yield %x : i32
  }
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  // expected-error @+1 {{region with 1 blocks}}
  "dynbatch.map"(%xs) ({}) : (!dynbatch.seq<i32>) -> ()
  return
}

// -----

func.func @map(%xs: !dynbatch.seq<i32>) {
  // expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
  dynbatch.map (%x = %xs : !dynbatch.seq<i32>) {
    cf.br ^next
  ^next:
    dynbatch.yield
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  // expected-error @+1 {{region has 1 arguments, but there are 1 sequences and 1 carried values}}
  %0 = "dynbatch.scan"(%xs, %a0) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: i32):
    dynbatch.yield %a0 : f32
  }) : (!dynbatch.seq<i32>, f32) -> f32
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  // expected-error @+1 {{needs a result for every carried value}}
  "dynbatch.scan"(%xs, %a0) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: i32, %a: f32):
    dynbatch.yield %a : f32
  }) : (!dynbatch.seq<i32>, f32) -> ()
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  // expected-error @+1 {{output #0 must be a sequence}}
  %0:2 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : f32) -> f32 {
    dynbatch.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @scan(%a0: f32) {
  // expected-error @+1 {{needs at least one sequence}}
  %0 = dynbatch.scan () carry(%a = %a0 : f32) {
    dynbatch.yield %a : f32
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  // expected-error @+1 {{region argument #0 must be 'i32'}}
  %0 = "dynbatch.scan"(%xs, %a0) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: f32, %a: f32):
    dynbatch.yield %a : f32
  }) : (!dynbatch.seq<i32>, f32) -> f32
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  // expected-error @+2 {{successor operand type #0 'f32' should match successor input type #0 'f64'}}
  // expected-note @+1 {{region branch point}}
  %0 = "dynbatch.scan"(%xs, %a0) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: i32, %a: f64):
    dynbatch.yield %a0 : f32
  }) : (!dynbatch.seq<i32>, f32) -> f32
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  // expected-error @+1 {{successor operand type #0 'i32' should match successor input type #0 'f32'}}
  %0 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : f32) {
    // expected-note @+1 {{region branch point}}
    dynbatch.yield %x : i32
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32, %b0: i32) {
  // expected-error @+1 {{region branch point has 1 operands, but region successor needs 2 inputs}}
  %0:2 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : f32, %b = %b0 : i32) {
    // expected-note @+1 {{region branch point}}
    dynbatch.yield %a : f32
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  %0:2 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : f32) -> !dynbatch.seq<i32> {
    // expected-error @+1 {{must give 2 values, but gives 1}}
    dynbatch.yield %a : f32
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: f32) {
  %0:2 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : f32) -> !dynbatch.seq<i32> {
    // expected-error @+1 {{value #1 must be 'i32', but is 'f32'}}
    dynbatch.yield %a, %a : f32, f32
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>, %a0: memref<4xf32>) {
  // expected-error @+1 {{operand #1 must be variadic of scalar, tensor of static shape, ADT or sequence}}
  %0 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : memref<4xf32>) {
    dynbatch.yield %a : memref<4xf32>
  }
  return
}

// -----

func.func @scan(%xs: !dynbatch.seq<i32>) {
  // expected-error @+1 {{'operandSegmentSizes'}}
  "dynbatch.scan"(%xs) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: i32):
    dynbatch.yield
  }) : (!dynbatch.seq<i32>) -> ()
  return
}
