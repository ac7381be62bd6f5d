// RUN: dynbatch-opt %s --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s -mlir-print-op-generic | dynbatch-opt | FileCheck %s

// CHECK-LABEL: dynbatch.adt @Tree {
// CHECK-NEXT: dynbatch.ctor @Leaf(i32)
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
}

// CHECK-LABEL: func.func @make_seq(
// CHECK-NEXT: %0 = dynbatch.make_seq %arg0, %arg1 : !dynbatch.seq<i32>
// CHECK-NEXT: %1 = dynbatch.make_seq : !dynbatch.seq<i32>
// CHECK-NEXT: %2 = dynbatch.make_seq %0, %1 {note} : !dynbatch.seq<!dynbatch.seq<i32>>
// CHECK-NEXT: %3 = dynbatch.make_seq %arg2 : !dynbatch.seq<!dynbatch.adt<@Tree>>
// CHECK-NEXT: %4 = dynbatch.make_seq {note} : !dynbatch.seq<tensor<f32>>
func.func @make_seq(%a: i32, %b: i32, %t: !dynbatch.adt<@Tree>) {
  %0 = dynbatch.make_seq %a, %b : !dynbatch.seq<i32>
  %1 = dynbatch.make_seq : !dynbatch.seq<i32>
  %2 = dynbatch.make_seq %0, %1 {note} : !dynbatch.seq<!dynbatch.seq<i32>>
  %3 = dynbatch.make_seq %t : !dynbatch.seq<!dynbatch.adt<@Tree>>
  %4 = dynbatch.make_seq {note} : !dynbatch.seq<tensor<f32>>
  return
}

// CHECK-LABEL: func.func @access(
// CHECK-NEXT: %0 = dynbatch.length %arg0 : !dynbatch.seq<tensor<4xf32>>
// CHECK-NEXT: %1 = dynbatch.get %arg0[%arg1] : !dynbatch.seq<tensor<4xf32>>
func.func @access(%xs: !dynbatch.seq<tensor<4xf32>>, %i: index) -> (index, tensor<4xf32>) {
  %n = dynbatch.length %xs : !dynbatch.seq<tensor<4xf32>>
  %x = dynbatch.get %xs[%i] : !dynbatch.seq<tensor<4xf32>>
  return %n, %x : index, tensor<4xf32>
}

// CHECK-LABEL: func.func @map(
// CHECK-NEXT: %0 = dynbatch.map (%arg2 = %arg0 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
// CHECK-NEXT: dynbatch.yield %arg2 : i32
// CHECK: %1:2 = dynbatch.map (%arg2 = %0 : !dynbatch.seq<i32>, %arg3 = %arg1 : !dynbatch.seq<f32>) -> (!dynbatch.seq<f32>, !dynbatch.seq<i32>) attributes {note} {
// CHECK-NEXT: dynbatch.yield %arg3, %arg2 : f32, i32
func.func @map(%xs: !dynbatch.seq<i32>, %ys: !dynbatch.seq<f32>) -> !dynbatch.seq<f32> {
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %1:2 = dynbatch.map (%x = %0 : !dynbatch.seq<i32>, %y = %ys : !dynbatch.seq<f32>)
      -> (!dynbatch.seq<f32>, !dynbatch.seq<i32>) attributes {note} {
    dynbatch.yield %y, %x : f32, i32
  }
  return %1#0 : !dynbatch.seq<f32>
}

// Nested, and without results or terminator.
// CHECK-LABEL: func.func @map_nested(
// CHECK-NEXT: dynbatch.map (%arg1 = %arg0 : !dynbatch.seq<!dynbatch.seq<f32>>) {
// CHECK-NEXT: dynbatch.map (%arg2 = %arg1 : !dynbatch.seq<f32>) {
// CHECK-NEXT: func.call @use(%arg2) : (f32) -> ()
// CHECK-NEXT: dynbatch.yield
// CHECK: dynbatch.yield
func.func @map_nested(%xss: !dynbatch.seq<!dynbatch.seq<f32>>) {
  dynbatch.map (%xs = %xss : !dynbatch.seq<!dynbatch.seq<f32>>) {
    dynbatch.map (%x = %xs : !dynbatch.seq<f32>) {
      func.call @use(%x) : (f32) -> ()
    }
  }
  return
}
func.func private @use(f32)

// CHECK-LABEL: func.func @scan(
// CHECK-NEXT: %0:2 = dynbatch.scan (%arg2 = %arg0 : !dynbatch.seq<tensor<4xf32>>) carry(%arg3 = %arg1 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
// CHECK-NEXT: %1 = arith.addf %arg2, %arg3 : tensor<4xf32>
// CHECK-NEXT: dynbatch.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
func.func @scan(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>)
    -> (tensor<4xf32>, !dynbatch.seq<tensor<4xf32>>) {
  %last, %hs = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>)
      carry(%h = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
    %n = arith.addf %x, %h : tensor<4xf32>
    dynbatch.yield %n, %n : tensor<4xf32>, tensor<4xf32>
  }
  return %last, %hs : tensor<4xf32>, !dynbatch.seq<tensor<4xf32>>
}

// Several sequences, carried values and outputs, from the last to the first.
// CHECK-LABEL: func.func @scan_reverse(
// CHECK-NEXT: %0:4 = dynbatch.scan reverse (%arg4 = %arg0 : !dynbatch.seq<i32>, %arg5 = %arg1 : !dynbatch.seq<f32>) carry(%arg6 = %arg2 : i32, %arg7 = %arg3 : f32) -> (!dynbatch.seq<f32>, !dynbatch.seq<i32>) attributes {note} {
// CHECK-NEXT: dynbatch.yield %arg4, %arg5, %arg7, %arg6 : i32, f32, f32, i32
func.func @scan_reverse(%xs: !dynbatch.seq<i32>, %ys: !dynbatch.seq<f32>, %a0: i32, %b0: f32) {
  %0:4 = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<i32>, %y = %ys : !dynbatch.seq<f32>)
      carry(%a = %a0 : i32, %b = %b0 : f32) -> (!dynbatch.seq<f32>, !dynbatch.seq<i32>) attributes {note} {
    dynbatch.yield %x, %y, %b, %a : i32, f32, f32, i32
  }
  return
}

// CHECK-LABEL: func.func @scan_carry_only(
// CHECK-NEXT: %0 = dynbatch.scan (%arg2 = %arg0 : !dynbatch.seq<i32>) carry(%arg3 = %arg1 : i32) {
// CHECK-NEXT: dynbatch.yield %arg2 : i32
func.func @scan_carry_only(%xs: !dynbatch.seq<i32>, %a0: i32) -> i32 {
  %0 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : i32) {
    dynbatch.yield %x : i32
  }
  return %0 : i32
}

// CHECK-LABEL: func.func @scan_output_only(
// CHECK-NEXT: %0 = dynbatch.scan reverse (%arg1 = %arg0 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
// CHECK-NEXT: dynbatch.yield %arg1 : i32
func.func @scan_output_only(%xs: !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
  %0 = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  return %0 : !dynbatch.seq<i32>
}

// CHECK-LABEL: func.func @scan_empty(
// CHECK-NEXT: dynbatch.scan (%arg1 = %arg0 : !dynbatch.seq<i32>) {
// CHECK-NEXT: dynbatch.yield
func.func @scan_empty(%xs: !dynbatch.seq<i32>) {
  dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) {
  }
  return
}
