// RUN: dynbatch-opt %s --dynbatch-specialize --split-input-file | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-specialize="max-contexts=1" --split-input-file | FileCheck %s --check-prefix=OFF

// One version for each weight, through recursion; the general one is gone.

ml_program.global private @A(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>

// CHECK-LABEL: func.func private @loop(
// CHECK:         func.call @loop(
// CHECK-LABEL: func.func private @loop_0(
// CHECK:         func.call @loop_0(
// CHECK-NOT:   func.func private
// OFF-LABEL: func.func private @loop(
// OFF:         func.call @loop(
// OFF-NOT:   func.func private
func.func private @loop(%W: tensor<4x4xf32>, %x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %done = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %done -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %y = linalg.matvec ins(%W, %x : tensor<4x4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    %m = arith.subi %n, %c1 : i32
    %z = func.call @loop(%W, %y, %m) : (tensor<4x4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK:         %[[A:.*]] = ml_program.global_load_const @A
// CHECK:         %[[B:.*]] = ml_program.global_load_const @B
// CHECK-DAG:     call @loop{{(_0)?}}(%[[A]]
// CHECK-DAG:     call @loop{{(_0)?}}(%[[B]]
// OFF-LABEL: func.func @main(
// OFF-COUNT-3: call @loop(
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %A = ml_program.global_load_const @A : tensor<4x4xf32>
  %B = ml_program.global_load_const @B : tensor<4x4xf32>
  %0 = call @loop(%A, %x, %n) : (tensor<4x4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  %1 = call @loop(%B, %0, %n) : (tensor<4x4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  %2 = call @loop(%A, %1, %n) : (tensor<4x4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Recursion that swaps its parameters has two contexts.

ml_program.global private @A(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>

// CHECK-LABEL: func.func private @swap(
// CHECK:         func.call @swap_0(
// CHECK-LABEL: func.func private @swap_0(
// CHECK:         func.call @swap(
// CHECK-NOT:   func.func private
func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %done = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %done -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    %m = arith.subi %n, %c1 : i32
    %z = func.call @swap(%b, %a, %m) : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @main(%n: i32) -> tensor<4xf32> {
  %A = ml_program.global_load_const @A : tensor<4xf32>
  %B = ml_program.global_load_const @B : tensor<4xf32>
  %0 = call @swap(%A, %B, %n) : (tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An instance's own tensor is no parameter: one version.

// CHECK-LABEL: func.func private @f(
// CHECK-NOT:   func.func private
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
