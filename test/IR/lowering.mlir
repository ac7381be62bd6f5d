// RUN: dynbatch-opt %s --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s -mlir-print-op-generic | dynbatch-opt | FileCheck %s

// CHECK-LABEL: dynbatch.adt @Tree {
// CHECK-NEXT: dynbatch.ctor @Leaf(i32)
// CHECK-NEXT: dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

// CHECK-LABEL: func.func @adt(
// CHECK-NEXT: %0 = dynbatch.tag %arg0 : !dynbatch.adt<@Tree>
// CHECK-NEXT: %1 = dynbatch.field @Leaf[0] of %arg0 : !dynbatch.adt<@Tree> -> i32
// CHECK-NEXT: %2 = dynbatch.field @Node[1] of %arg0 {note} : !dynbatch.adt<@Tree> -> !dynbatch.adt<@Tree>
func.func @adt(%tree: !dynbatch.adt<@Tree>) {
  %0 = dynbatch.tag %tree : !dynbatch.adt<@Tree>
  %1 = dynbatch.field @Leaf[0] of %tree : !dynbatch.adt<@Tree> -> i32
  %2 = dynbatch.field @Node[1] of %tree {note} : !dynbatch.adt<@Tree> -> !dynbatch.adt<@Tree>
  return
}

// CHECK-LABEL: func.func @sequence(
// CHECK-NEXT: %0 = dynbatch.seq_alloc %arg0 : !dynbatch.seq<i32>
// CHECK-NEXT: dynbatch.seq_set %0[%arg0] = %arg1 : !dynbatch.seq<i32>
func.func @sequence(%n: index, %x: i32) {
  %0 = dynbatch.seq_alloc %n : !dynbatch.seq<i32>
  dynbatch.seq_set %0[%n] = %x : !dynbatch.seq<i32>
  return
}

// CHECK-LABEL: func.func @check_index(
// CHECK-NEXT: dynbatch.check_index %arg0, %arg1, "lookup"
func.func @check_index(%i: index, %n: index) {
  dynbatch.check_index %i, %n, "lookup"
  return
}

// CHECK-LABEL: func.func @row(
// CHECK-NEXT: %0 = dynbatch.row %arg0[%arg3] : !dynbatch.rows<tensor<4xf32>> -> memref<1x4xf32>
// CHECK-NEXT: %1 = dynbatch.row %arg1[%arg3] : !dynbatch.rows<i32> -> memref<1xi32>
// CHECK-NEXT: %2 = dynbatch.row %arg2[%arg3] {note} : !dynbatch.rows<tensor<f32>> -> memref<1xf32>
func.func @row(%x: !dynbatch.rows<tensor<4xf32>>, %s: !dynbatch.rows<i32>, %z: !dynbatch.rows<tensor<f32>>, %i: index) {
  %0 = dynbatch.row %x[%i] : !dynbatch.rows<tensor<4xf32>> -> memref<1x4xf32>
  %1 = dynbatch.row %s[%i] : !dynbatch.rows<i32> -> memref<1xi32>
  %2 = dynbatch.row %z[%i] {note} : !dynbatch.rows<tensor<f32>> -> memref<1xf32>
  return
}
