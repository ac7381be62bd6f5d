// Three mutually recursive functions that permute three weights have more
// contexts than the bound allows: the pass ends with a remark.

// RUN: dynbatch-opt %s --dynbatch-specialize="max-contexts=2" --remark-format=emitRemark --remarks-filter-missed="dynbatch" 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

ml_program.global private @A(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @C(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>

// REMARK: remark: {{.*}}[Missed] specialize{{.*}}called with more than 2 combinations of parameters
// CHECK-COUNT-9: func.func private
// CHECK-NOT: func.func private
func.func private @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c1 = arith.constant 1 : i32
  %m = arith.subi %n, %c1 : i32
  %r = func.call @g(%b, %a, %c, %m) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @g(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %r = func.call @h(%a, %c, %b, %n) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @h(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %done = arith.cmpi sle, %n, %c0 : i32
  %r = scf.if %done -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  } else {
    %s = func.call @f(%a, %b, %c, %n) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
func.func @main(%n: i32) -> tensor<4xf32> {
  %A = ml_program.global_load_const @A : tensor<4xf32>
  %B = ml_program.global_load_const @B : tensor<4xf32>
  %C = ml_program.global_load_const @C : tensor<4xf32>
  %0 = call @f(%A, %B, %C, %n) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i32) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
