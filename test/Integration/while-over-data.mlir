// A loop whose state is data: fields of every scalar type, tensors of rank 0, of
// integers and without elements.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      Nil 0 0 [0 0] []{{$}}
// CHECK-NEXT: (Cons 0 6 8 -10 -1 2e+300 7.5 [] [-9 22] (Cons 1 -128 -600 10 3 4.5 0.5 [] [1 2] Nil)) 2 7.5 [-9 22] []{{$}}

//--- instances
Nil
(Cons 0 -64 -300 5 1.5 2.25 0.5 [] [1 2] (Cons 1 3 4 -5 -0.5 1e300 7 [] [-10 20] Nil))
//--- model.mlir
dynbatch.adt @L {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(i1, i8, i16, index, f16, f64, tensor<f32>, tensor<0xf32>, tensor<2xi32>, !dynbatch.adt<@L>)
}
func.func @main(%l: !dynbatch.adt<@L>) -> (!dynbatch.adt<@L>, i32, tensor<f32>, tensor<2xi32>, tensor<0xf32>) attributes {dynbatch.entry} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %false = arith.constant false
  %true = arith.constant true
  %t0 = arith.constant dense<0.0> : tensor<f32>
  %i0 = arith.constant dense<0> : tensor<2xi32>
  %e0 = tensor.empty() : tensor<0xf32>
  %nil = dynbatch.construct @Nil() : () -> !dynbatch.adt<@L>
  %r:6 = scf.while (%s = %l, %acc = %nil, %n = %zero, %t = %t0, %i = %i0, %e = %e0) : (!dynbatch.adt<@L>, !dynbatch.adt<@L>, i32, tensor<f32>, tensor<2xi32>, tensor<0xf32>) -> (!dynbatch.adt<@L>, !dynbatch.adt<@L>, i32, tensor<f32>, tensor<2xi32>, tensor<0xf32>) {
    %more = dynbatch.match %s : !dynbatch.adt<@L> -> i1
      case @Nil() {
        dynbatch.yield %false : i1
      }
      case @Cons(%a: i1, %b: i8, %c: i16, %d: index, %f: f16, %g: f64, %tt: tensor<f32>, %z: tensor<0xf32>, %ii: tensor<2xi32>, %rest: !dynbatch.adt<@L>) {
        dynbatch.yield %true : i1
      }
    scf.condition(%more) %s, %acc, %n, %t, %i, %e : !dynbatch.adt<@L>, !dynbatch.adt<@L>, i32, tensor<f32>, tensor<2xi32>, tensor<0xf32>
  } do {
  ^bb0(%s: !dynbatch.adt<@L>, %acc: !dynbatch.adt<@L>, %n: i32, %t: tensor<f32>, %i: tensor<2xi32>, %e: tensor<0xf32>):
    %s2:5 = dynbatch.match %s : !dynbatch.adt<@L> -> (!dynbatch.adt<@L>, !dynbatch.adt<@L>, tensor<f32>, tensor<2xi32>, tensor<0xf32>)
      case @Nil() {
        dynbatch.yield %s, %acc, %t, %i, %e : !dynbatch.adt<@L>, !dynbatch.adt<@L>, tensor<f32>, tensor<2xi32>, tensor<0xf32>
      }
      case @Cons(%a: i1, %b: i8, %c: i16, %d: index, %f: f16, %g: f64, %tt: tensor<f32>, %z: tensor<0xf32>, %ii: tensor<2xi32>, %rest: !dynbatch.adt<@L>) {
        %t2 = arith.addf %t, %tt : tensor<f32>
        %i2 = arith.addi %i, %ii : tensor<2xi32>
        %e2 = arith.addf %e, %z : tensor<0xf32>
        %na = arith.xori %a, %true : i1
        %nb = arith.addi %b, %b : i8
        %nc = arith.addi %c, %c : i16
        %nd = arith.addi %d, %d : index
        %nf = arith.addf %f, %f : f16
        %ng = arith.addf %g, %g : f64
        %x = dynbatch.construct @Cons(%na, %nb, %nc, %nd, %nf, %ng, %t2, %e2, %i2, %acc) : (i1, i8, i16, index, f16, f64, tensor<f32>, tensor<0xf32>, tensor<2xi32>, !dynbatch.adt<@L>) -> !dynbatch.adt<@L>
        dynbatch.yield %rest, %x, %t2, %i2, %e2 : !dynbatch.adt<@L>, !dynbatch.adt<@L>, tensor<f32>, tensor<2xi32>, tensor<0xf32>
      }
    %m = arith.addi %n, %one : i32
    scf.yield %s2#0, %s2#1, %m, %s2#2, %s2#3, %s2#4 : !dynbatch.adt<@L>, !dynbatch.adt<@L>, i32, tensor<f32>, tensor<2xi32>, tensor<0xf32>
  }
  return %r#1, %r#2, %r#3, %r#4, %r#5 : !dynbatch.adt<@L>, i32, tensor<f32>, tensor<2xi32>, tensor<0xf32>
}
