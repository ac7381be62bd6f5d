// A cell in TOSA, through upstream's conversion to linalg.

// RUN: split-file %s %t
// RUN: mlir-opt %t/cell.mlir --pass-pipeline='builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),canonicalize)' -o %t/linalg.mlir
// RUN: dynbatch-run %t/program.mlir --link=%t/linalg.mlir --instances=%t/instances.txt --params=random:1 > %t/linked.txt
// RUN: dynbatch-run %t/program.mlir --link=%t/whole.mlir --instances=%t/instances.txt --params=random:1 | diff %t/linked.txt -
// RUN: count 2 < %t/linked.txt

// As it is, it is refused.
// RUN: not dynbatch-run %t/program.mlir --link=%t/cell.mlir --instances=%t/instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=TOSA
// TOSA: cell.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'tosa.matmul' op cannot be batched

//--- instances.txt
[[[1 2]]]
[[[0.5 -1.0]]]
//--- program.mlir
ml_program.global private @W(#ml_program.extern<tensor<1x2x3xf32>>) : tensor<1x2x3xf32>
func.func private @cell(%x: tensor<1x1x2xf32>, %w: tensor<1x2x3xf32>) -> tensor<1x1x3xf32>
func.func @main(%x: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> attributes {dynbatch.entry} {
  %w = ml_program.global_load_const @W : tensor<1x2x3xf32>
  %r = call @cell(%x, %w) : (tensor<1x1x2xf32>, tensor<1x2x3xf32>) -> tensor<1x1x3xf32>
  return %r : tensor<1x1x3xf32>
}
//--- cell.mlir
func.func @cell(%x: tensor<1x1x2xf32>, %w: tensor<1x2x3xf32>) -> tensor<1x1x3xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.matmul %x, %w, %zp, %zp : (tensor<1x1x2xf32>, tensor<1x2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32>
  %t = tosa.tanh %y : (tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %r = tosa.add %t, %y : (tensor<1x1x3xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %r : tensor<1x1x3xf32>
}
//--- whole.mlir
func.func @cell(%x: tensor<1x1x2xf32>, %w: tensor<1x2x3xf32>) -> tensor<1x1x3xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x1x3xf32>
  %y = linalg.batch_matmul ins(%x, %w : tensor<1x1x2xf32>, tensor<1x2x3xf32>) outs(%zero : tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %t = math.tanh %y : tensor<1x1x3xf32>
  %r = arith.addf %t, %y : tensor<1x1x3xf32>
  return %r : tensor<1x1x3xf32>
}
