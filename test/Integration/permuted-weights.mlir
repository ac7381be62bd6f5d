// Three mutually recursive functions that permute four weights: 24 orders, more
// than the bound of dynbatch-specialize. It says so, and the program is right.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --verify-schedule --output=%t/cpu.txt
// RUN: dynbatch-opt %t/model.mlir --dynbatch-pipeline --remark-format=emitRemark --remarks-filter-missed="dynbatch" -o %t/lowered.mlir 2>&1 | FileCheck %s
// RUN: %python %numpy/compare.py %t/reference.txt %t/cpu.txt --tolerance 1e-5
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --batch-size=1 --output=%t/single.txt
// RUN: diff %t/cpu.txt %t/single.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --verify-schedule --pipeline-options="specialize=false" --output=%t/off.txt
// RUN: %python %numpy/compare.py %t/reference.txt %t/off.txt --tolerance 1e-5

// CHECK: remark: {{.*}}[Missed] specialize{{.*}}called with more than {{[0-9]+}} combinations of parameters

//--- instances.txt
0
1
5
17
40
23
2

//--- model.mlir
ml_program.global private @A(#ml_program.extern<tensor<6x6xf32>>) : tensor<6x6xf32>
ml_program.global private @B(#ml_program.extern<tensor<6x6xf32>>) : tensor<6x6xf32>
ml_program.global private @C(#ml_program.extern<tensor<6x6xf32>>) : tensor<6x6xf32>
ml_program.global private @D(#ml_program.extern<tensor<6x6xf32>>) : tensor<6x6xf32>
ml_program.global private @start(#ml_program.extern<tensor<6xf32>>) : tensor<6xf32>

func.func private @step(%W: tensor<6x6xf32>, %x: tensor<6xf32>) -> tensor<6xf32> {
  %zero = arith.constant dense<0.0> : tensor<6xf32>
  %y = linalg.matvec ins(%W, %x : tensor<6x6xf32>, tensor<6xf32>) outs(%zero : tensor<6xf32>) -> tensor<6xf32>
  %t = math.tanh %y : tensor<6xf32>
  return %t : tensor<6xf32>
}
func.func private @f(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>, %c: tensor<6x6xf32>, %d: tensor<6x6xf32>, %n: i32, %x: tensor<6xf32>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %done = arith.cmpi sle, %n, %c0 : i32
  %r = scf.if %done -> tensor<6xf32> {
    scf.yield %x : tensor<6xf32>
  } else {
    %m = arith.subi %n, %c1 : i32
    %y = func.call @step(%a, %x) : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %z = func.call @g(%b, %a, %c, %d, %m, %y) : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, i32, tensor<6xf32>) -> tensor<6xf32>
    scf.yield %z : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}
func.func private @g(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>, %c: tensor<6x6xf32>, %d: tensor<6x6xf32>, %n: i32, %x: tensor<6xf32>) -> tensor<6xf32> {
  %y = func.call @step(%b, %x) : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %z = func.call @h(%b, %c, %d, %a, %n, %y) : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, i32, tensor<6xf32>) -> tensor<6xf32>
  return %z : tensor<6xf32>
}
func.func private @h(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>, %c: tensor<6x6xf32>, %d: tensor<6x6xf32>, %n: i32, %x: tensor<6xf32>) -> tensor<6xf32> {
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %rest = arith.remsi %n, %c3 : i32
  %turn = arith.cmpi eq, %rest, %c0 : i32
  %r = scf.if %turn -> tensor<6xf32> {
    %y = func.call @f(%b, %c, %d, %a, %n, %x) : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, i32, tensor<6xf32>) -> tensor<6xf32>
    scf.yield %y : tensor<6xf32>
  } else {
    %y = func.call @f(%d, %a, %b, %c, %n, %x) : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, i32, tensor<6xf32>) -> tensor<6xf32>
    scf.yield %y : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}
func.func @main(%n: i32) -> tensor<6xf32> attributes {dynbatch.entry} {
  %A = ml_program.global_load_const @A : tensor<6x6xf32>
  %B = ml_program.global_load_const @B : tensor<6x6xf32>
  %C = ml_program.global_load_const @C : tensor<6x6xf32>
  %D = ml_program.global_load_const @D : tensor<6x6xf32>
  %x = ml_program.global_load_const @start : tensor<6xf32>
  %y = call @f(%A, %B, %C, %D, %n, %x) : (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, i32, tensor<6xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}
