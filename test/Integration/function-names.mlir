// Functions may be called like those of the C library and like other symbols.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      0.24491866{{$}}
// CHECK-NEXT: 0.46211717{{$}}

//--- instances
0.25 0
0.25 1
//--- model.mlir
func.func private @tanhf(%x: f32, %n: i32) -> f32 attributes {no_inline} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  %p = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.if %p -> f32 {
    %m = arith.subi %n, %c1 : i32
    %y = arith.mulf %x, %two : f32
    %z = func.call @tanhf(%y, %m) : (f32, i32) -> f32
    scf.yield %z : f32
  } else {
    %w = math.tanh %x : f32
    scf.yield %w : f32
  }
  return %r : f32
}
func.func private @my_entry(%x: f32, %n: i32) -> f32 attributes {no_inline} {
  %r = call @memcpy(%x, %n) : (f32, i32) -> f32
  return %r : f32
}
func.func private @memcpy(%x: f32, %n: i32) -> f32 attributes {no_inline} {
  %r = call @tanhf(%x, %n) : (f32, i32) -> f32
  return %r : f32
}
func.func private @my_check_stack(%x: f32, %n: i32) -> f32 attributes {no_inline} {
  %r = call @my_entry(%x, %n) : (f32, i32) -> f32
  return %r : f32
}
func.func @my_overflow(%x: f32, %n: i32) -> f32 attributes {no_inline} {
  %r = call @my_check_stack(%x, %n) : (f32, i32) -> f32
  return %r : f32
}
func.func @main(%x: f32, %n: i32) -> f32 attributes {dynbatch.entry} {
  %r = call @my_overflow(%x, %n) : (f32, i32) -> f32
  return %r : f32
}
