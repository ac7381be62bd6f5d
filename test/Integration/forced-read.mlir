// Control flow that depends on computed values: a loop that ends when a tensor
// says so. A forced read runs the pending tasks; tensors computed before it are
// ready afterwards.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --verify-schedule --output=%t/cpu.txt
// RUN: diff %t/reference.txt %t/cpu.txt
// RUN: FileCheck %s < %t/cpu.txt

// CHECK:      [16 24] 4
// CHECK-NEXT: [100 1] 0
// CHECK-NEXT: [12 8] 2

//--- instances.txt
[1 1.5]
[100 1]
[3 2]

//--- model.mlir
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, i32) attributes {dynbatch.entry} {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 10.0 : f32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %y, %n = scf.while (%v = %x, %i = %zero) : (tensor<2xf32>, i32) -> (tensor<2xf32>, i32) {
    %first = tensor.extract %v[%c0] : tensor<2xf32>
    %more = arith.cmpf olt, %first, %limit : f32
    scf.condition(%more) %v, %i : tensor<2xf32>, i32
  } do {
  ^bb0(%v: tensor<2xf32>, %i: i32):
    %w = arith.addf %v, %v : tensor<2xf32>
    %j = arith.addi %i, %one : i32
    scf.yield %w, %j : tensor<2xf32>, i32
  }
  return %y, %n : tensor<2xf32>, i32
}
