// RUN: dynbatch-opt %s -split-input-file -verify-diagnostics -mlir-disable-threading

// expected-error @+1 {{needs at least one constructor}}
dynbatch.adt @Empty {
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  // expected-error @+1 {{only constructors may stand in a 'dynbatch.adt'}}
  %c = arith.constant 0 : i32
}

// -----

// expected-error @+1 {{region with 1 blocks}}
"dynbatch.adt"() <{sym_name = "None"}> ({}) : () -> ()

// -----

// expected-error @+1 {{requires one region}}
"dynbatch.adt"() <{sym_name = "None"}> : () -> ()

// -----

func.func @nested() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  dynbatch.adt @Tree {
    dynbatch.ctor @Leaf(i32)
  }
  return
}

// -----

// expected-error @+1 {{expects parent op 'dynbatch.adt'}}
dynbatch.ctor @Leaf(i32)

// -----

dynbatch.adt @Tree {
  // expected-note @+1 {{see existing symbol definition here}}
  dynbatch.ctor @Leaf(i32)
  // expected-error @+1 {{redefinition of symbol named 'Leaf'}}
  dynbatch.ctor @Leaf(f32)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #1 cannot be of type 'tensor<?xf32>': expected a scalar, a tensor of static shape, an ADT or a sequence}}
  dynbatch.ctor @Leaf(i32, tensor<?xf32>)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #0 cannot be of type 'tensor<*xf32>'}}
  dynbatch.ctor @Leaf(tensor<*xf32>)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #0 cannot be of type 'memref<4xf32>'}}
  dynbatch.ctor @Leaf(memref<4xf32>)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #0 cannot be of type 'tensor<4x!dynbatch.seq<i32>>'}}
  dynbatch.ctor @Leaf(tensor<4x!dynbatch.seq<i32>>)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #0 cannot be of type 'tensor<4xf32, "layout">'}}
  dynbatch.ctor @Leaf(tensor<4xf32, "layout">)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #0 cannot be of type '!dynbatch.rows<i32>'}}
  dynbatch.ctor @Leaf(!dynbatch.rows<i32>)
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{field #1 refers to the undeclared ADT @Forest}}
  dynbatch.ctor @Leaf(i32, !dynbatch.seq<!dynbatch.seq<!dynbatch.adt<@Forest>>>)
}

// -----

// A nested module does not see the declarations around it.
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
module @inner {
  dynbatch.adt @Other {
    // expected-error @+1 {{field #0 refers to the undeclared ADT @Tree}}
    dynbatch.ctor @Leaf(!dynbatch.adt<@Tree>)
  }
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{expected '('}}
  dynbatch.ctor @Leaf
}

// -----

dynbatch.adt @Tree {
  // expected-error @+1 {{requires attribute 'fields'}}
  "dynbatch.ctor"() <{sym_name = "Leaf"}> : () -> ()
}

// -----

// expected-error @+2 {{expected attribute value}}
// expected-error @+1 {{failed to parse Dynbatch_AdtType parameter 'name'}}
func.func private @f(!dynbatch.adt<Tree>)

// -----

// expected-error @+2 {{invalid kind of attribute specified}}
// expected-error @+1 {{failed to parse Dynbatch_AdtType parameter 'name'}}
func.func private @f(!dynbatch.adt<@Outer::@Tree>)

// -----

func.func @construct(%x: i32) {
  // expected-error @+1 {{undeclared ADT @Tree}}
  %0 = dynbatch.construct @Leaf(%x) : (i32) -> !dynbatch.adt<@Tree>
  return
}

// -----

// The name of something else.
func.func private @Tree()
func.func @construct(%x: i32) {
  // expected-error @+1 {{undeclared ADT @Tree}}
  %0 = dynbatch.construct @Leaf(%x) : (i32) -> !dynbatch.adt<@Tree>
  return
}

// -----

// expected-note @+1 {{declared here}}
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @construct(%x: i32) {
  // expected-error @+1 {{ADT @Tree has no constructor @Node}}
  %0 = dynbatch.construct @Node(%x) : (i32) -> !dynbatch.adt<@Tree>
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @construct(%x: i32) {
  // expected-error @+1 {{constructor @Leaf has 1 fields, but 2 values are given}}
  %0 = dynbatch.construct @Leaf(%x, %x) : (i32, i32) -> !dynbatch.adt<@Tree>
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32, i32)
}
func.func @construct(%x: i32, %y: i64) {
  // expected-error @+1 {{field #1 of @Leaf must be 'i32', but is 'i64'}}
  %0 = dynbatch.construct @Leaf(%x, %y) : (i32, i64) -> !dynbatch.adt<@Tree>
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @construct(%x: memref<4xf32>) {
  // expected-error @+1 {{operand #0 must be variadic of scalar, tensor of static shape, ADT or sequence}}
  %0 = dynbatch.construct @Leaf(%x) : (memref<4xf32>) -> !dynbatch.adt<@Tree>
  return
}

// -----

func.func @construct(%x: i32) {
  // expected-error @+1 {{result #0 must be value of an algebraic data type}}
  %0 = dynbatch.construct @Leaf(%x) : (i32) -> i32
  return
}

// -----

func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{undeclared ADT @Tree}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
  return
}

// -----

// expected-note @+1 {{declared here}}
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{ADT @Tree has no constructor @Node}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf(%x: i32) {}
    case @Node() {}
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Empty()
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{constructor @Empty has no case}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf(%x: i32) {}
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{constructor @Leaf has no case}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{constructor @Leaf has two cases}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf(%x: i32) {}
    case @Leaf(%x: i32) {}
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{case @Leaf binds 0 values, but the constructor has 1 fields}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf() {}
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32, i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{case @Leaf binds field #1 as 'f32', but it is 'i32'}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf(%x: i32, %y: f32) {}
  return
}

// -----

// In dead code too.
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  return
^dead:
  // expected-error @+1 {{constructor @Leaf has no case}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{has 1 cases, but 2 regions}}
  "dynbatch.match"(%t) <{cases = [@Leaf]}> ({
  ^bb0(%x: i32):
    "dynbatch.yield"() : () -> ()
  }, {
  ^bb0(%x: i32):
    "dynbatch.yield"() : () -> ()
  }) : (!dynbatch.adt<@Tree>) -> ()
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+1 {{region with 1 blocks}}
  "dynbatch.match"(%t) <{cases = [@Leaf]}> ({}) : (!dynbatch.adt<@Tree>) -> ()
  return
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) -> i32 {
  // expected-error @+1 {{region branch point has 0 operands, but region successor needs 1 inputs}}
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%x: i32) {
      // expected-note @+1 {{region branch point}}
      dynbatch.yield
    }
  return %0 : i32
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) -> f32 {
  // expected-error @+1 {{successor operand type #0 'i32' should match successor input type #0 'f32'}}
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> f32
    case @Leaf(%x: i32) {
      // expected-note @+1 {{region branch point}}
      dynbatch.yield %x : i32
    }
  return %0 : f32
}

// -----

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}
func.func @match(%t: !dynbatch.adt<@Tree>) {
  // expected-error @+2 {{expects regions to end with 'dynbatch.yield', found 'llvm.unreachable'}}
  // expected-note @+1 {{the absence of terminator implies 'dynbatch.yield'}}
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf(%x: i32) {
      llvm.unreachable
    }
  return
}

// -----

func.func @match(%t: i32) {
  // expected-error @+1 {{operand #0 must be value of an algebraic data type}}
  dynbatch.match %t : i32
  return
}

// -----

func.func @match(%t: !dynbatch.adt<@Tree>) {
  dynbatch.match %t : !dynbatch.adt<@Tree>
    // expected-error @+1 {{invalid kind of attribute specified}}
    case "Leaf"() {}
  return
}

// -----

func.func @yield() {
  // expected-error @+1 {{expects parent op to be one of 'dynbatch.match, dynbatch.map, dynbatch.scan, dynbatch.block'}}
  dynbatch.yield
}

// -----

// expected-error @+1 {{attribute 'dynbatch.entry' must be a unit}}
func.func private @f() attributes {dynbatch.entry = 1 : i32}

// -----

// expected-error @+1 {{unknown attribute 'dynbatch.unknown'}}
func.func private @f() attributes {dynbatch.unknown}

// -----

// expected-error @+1 {{attribute 'dynbatch.entry' belongs on a function}}
module attributes {dynbatch.entry} {
}

// -----

func.func @f() {
  // expected-error @+1 {{attribute 'dynbatch.prologue' belongs on a function}}
  return {dynbatch.prologue}
}

// -----

// expected-error @+1 {{attribute 'dynbatch.entry' belongs on a function}}
dynbatch.kernel @k() attributes {dynbatch.entry} {
  dynbatch.return
}

// -----

// expected-error @+1 {{attribute 'dynbatch.entry' cannot stand on argument #1}}
func.func private @f(i32, i32 {dynbatch.entry})

// -----

// expected-error @+1 {{attribute 'dynbatch.entry' cannot stand on result #0}}
func.func private @f() -> (i32 {dynbatch.entry})

// -----

// Nested symbol tables are verified before the declarations around them.
gpu.module @device {
  func.func @construct(%x: i32) {
    // expected-error @+1 {{the declaration of ADT @Tree is malformed}}
    %0 = dynbatch.construct @Leaf(%x) : (i32) -> !dynbatch.adt<@Tree>
    return
  }
}
dynbatch.adt @Tree {
  // expected-error @+1 {{requires attribute 'fields'}}
  "dynbatch.ctor"() <{sym_name = "Leaf"}> : () -> ()
}
