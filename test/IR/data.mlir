// RUN: dynbatch-opt %s --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s -mlir-print-op-generic | dynbatch-opt | FileCheck %s

// Recursive.
// CHECK-LABEL: dynbatch.adt @Tree {
// CHECK-NEXT: dynbatch.ctor @Leaf(i32)
// CHECK-NEXT: dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

// Mutually recursive, through sequences; nullary constructors.
// CHECK-LABEL: dynbatch.adt @Rose {
// CHECK-NEXT: dynbatch.ctor @Empty()
// CHECK-NEXT: dynbatch.ctor @Branch(tensor<4xf32>, !dynbatch.seq<!dynbatch.adt<@Forest>>)
dynbatch.adt @Rose {
  dynbatch.ctor @Empty()
  dynbatch.ctor @Branch(tensor<4xf32>, !dynbatch.seq<!dynbatch.adt<@Forest>>)
}
// CHECK-LABEL: dynbatch.adt @Forest attributes {sym_visibility = "private"} {
// CHECK-NEXT: dynbatch.ctor @Roses(!dynbatch.seq<!dynbatch.seq<!dynbatch.adt<@Rose>>>)
dynbatch.adt @Forest attributes {sym_visibility = "private"} {
  dynbatch.ctor @Roses(!dynbatch.seq<!dynbatch.seq<!dynbatch.adt<@Rose>>>)
}

// Every kind of field.
// CHECK-LABEL: dynbatch.adt @Fields {
// CHECK-NEXT: dynbatch.ctor @All(i1, i64, f32, index, tensor<f32>, tensor<0x4xbf16>, !dynbatch.seq<f64>, !dynbatch.adt<@Tree>) {note = "kept"}
dynbatch.adt @Fields {
  dynbatch.ctor @All(i1, i64, f32, index, tensor<f32>, tensor<0x4xbf16>, !dynbatch.seq<f64>, !dynbatch.adt<@Tree>) {note = "kept"}
}

// CHECK-LABEL: func.func @construct(
// CHECK-NEXT: %0 = dynbatch.construct @Leaf(%arg0) : (i32) -> !dynbatch.adt<@Tree>
// CHECK-NEXT: %1 = dynbatch.construct @Node(%0, %0) {note} : (!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
// CHECK-NEXT: %2 = dynbatch.construct @Empty() : () -> !dynbatch.adt<@Rose>
// CHECK-NEXT: %3 = dynbatch.construct @Branch(%arg1, %arg2) : (tensor<4xf32>, !dynbatch.seq<!dynbatch.adt<@Forest>>) -> !dynbatch.adt<@Rose>
func.func @construct(%word: i32, %x: tensor<4xf32>, %kids: !dynbatch.seq<!dynbatch.adt<@Forest>>) {
  %leaf = dynbatch.construct @Leaf(%word) : (i32) -> !dynbatch.adt<@Tree>
  %node = dynbatch.construct @Node(%leaf, %leaf) {note} : (!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
  %empty = dynbatch.construct @Empty() : () -> !dynbatch.adt<@Rose>
  %branch = dynbatch.construct @Branch(%x, %kids) : (tensor<4xf32>, !dynbatch.seq<!dynbatch.adt<@Forest>>) -> !dynbatch.adt<@Rose>
  return
}

// CHECK-LABEL: func.func @match(
// CHECK-NEXT: %0:2 = dynbatch.match %arg0 : !dynbatch.adt<@Tree> -> (i32, i32) attributes {note}
// CHECK-NEXT: case @Leaf(%arg2: i32) {
// CHECK-NEXT: dynbatch.yield %arg2, %arg1 : i32, i32
// CHECK: case @Node(%arg2: !dynbatch.adt<@Tree>, %arg3: !dynbatch.adt<@Tree>) {
// CHECK-NEXT: %1 = dynbatch.match %arg2 : !dynbatch.adt<@Tree> -> i32
// CHECK-NEXT: case @Node(%arg4: !dynbatch.adt<@Tree>, %arg5: !dynbatch.adt<@Tree>) {
// CHECK-NEXT: dynbatch.yield %arg1 : i32
// CHECK: case @Leaf(%arg4: i32) {
// CHECK-NEXT: dynbatch.yield %arg4 : i32
// CHECK: dynbatch.yield %1, %1 : i32, i32 {note}
func.func @match(%tree: !dynbatch.adt<@Tree>, %c: i32) -> (i32, i32) {
  %0:2 = dynbatch.match %tree : !dynbatch.adt<@Tree> -> (i32, i32) attributes {note}
    case @Leaf(%word: i32) {
      dynbatch.yield %word, %c : i32, i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %1 = dynbatch.match %l : !dynbatch.adt<@Tree> -> i32
        // The order of cases is free.
        case @Node(%ll: !dynbatch.adt<@Tree>, %lr: !dynbatch.adt<@Tree>) {
          dynbatch.yield %c : i32
        }
        case @Leaf(%lword: i32) {
          dynbatch.yield %lword : i32
        }
      dynbatch.yield %1, %1 : i32, i32 {note}
    }
  return %0#0, %0#1 : i32, i32
}

// No results, and the terminator left out.
// CHECK-LABEL: func.func @match_effects(
// CHECK-NEXT: dynbatch.match %arg0 : !dynbatch.adt<@Rose>
// CHECK-NEXT: case @Empty() {
// CHECK-NEXT: dynbatch.yield
// CHECK: case @Branch(%arg1: tensor<4xf32>, %arg2: !dynbatch.seq<!dynbatch.adt<@Forest>>) {
// CHECK-NEXT: func.call @use(%arg1) : (tensor<4xf32>) -> ()
// CHECK-NEXT: dynbatch.yield
func.func @match_effects(%rose: !dynbatch.adt<@Rose>) {
  dynbatch.match %rose : !dynbatch.adt<@Rose>
    case @Empty() {}
    case @Branch(%x: tensor<4xf32>, %kids: !dynbatch.seq<!dynbatch.adt<@Forest>>) {
      func.call @use(%x) : (tensor<4xf32>) -> ()
    }
  return
}
func.func private @use(tensor<4xf32>)

// A nested module sees its own declarations.
module @inner {
  // CHECK-LABEL: dynbatch.adt @Tree {
  // CHECK-NEXT: dynbatch.ctor @Other(f32)
  dynbatch.adt @Tree {
    dynbatch.ctor @Other(f32)
  }
  // CHECK-LABEL: func.func @construct(
  // CHECK-NEXT: %0 = dynbatch.construct @Other(%arg0) : (f32) -> !dynbatch.adt<@Tree>
  func.func @construct(%x: f32) -> !dynbatch.adt<@Tree> {
    %0 = dynbatch.construct @Other(%x) : (f32) -> !dynbatch.adt<@Tree>
    return %0 : !dynbatch.adt<@Tree>
  }
}

// Functions marked for the pipeline.
// CHECK-LABEL: func.func @main(%arg0: !dynbatch.adt<@Tree>) attributes {dynbatch.entry} {
func.func @main(%tree: !dynbatch.adt<@Tree>) attributes {dynbatch.entry} {
  return
}
// CHECK-LABEL: func.func @prologue() attributes {dynbatch.prologue} {
func.func @prologue() attributes {dynbatch.prologue} {
  return
}
