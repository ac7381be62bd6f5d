// Operands of a task that are matrices: products with shared weights whose
// columns do not fill the last panel, a softmax over rows, a transposition that
// changes nothing.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:4 --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:4 --verify-schedule --output=%t/cpu.txt
// RUN: %python %numpy/compare.py %t/reference.txt %t/cpu.txt --tolerance 1e-6
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:4 --batch-size=1 --output=%t/alone.txt
// RUN: cmp %t/cpu.txt %t/alone.txt

//--- instances.txt
[[1 2] [3 4] [-1 0.5]]
[[0 0] [0 0] [0 0]]
[[0.1 -2] [0.3 0.4] [5 -0.5]]

//--- model.mlir
ml_program.global private @W(#ml_program.extern<tensor<2x40xf32>>) : tensor<2x40xf32>
ml_program.global private @b(#ml_program.extern<tensor<40xf32>>) : tensor<40xf32>
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x40xf32> attributes {dynbatch.entry} {
  %W = ml_program.global_load_const @W : tensor<2x40xf32>
  %b = ml_program.global_load_const @b : tensor<40xf32>
  %0 = tensor.empty() : tensor<3x40xf32>
  %1 = tensor.empty() : tensor<3x2xf32>
  %same = linalg.transpose ins(%x : tensor<3x2xf32>) outs(%1 : tensor<3x2xf32>) permutation = [0, 1]
  %bias = linalg.broadcast ins(%b : tensor<40xf32>) outs(%0 : tensor<3x40xf32>) dimensions = [0]
  %y = linalg.matmul ins(%same, %W : tensor<3x2xf32>, tensor<2x40xf32>) outs(%bias : tensor<3x40xf32>) -> tensor<3x40xf32>
  %s = linalg.softmax dimension(1) ins(%y : tensor<3x40xf32>) outs(%0 : tensor<3x40xf32>) -> tensor<3x40xf32>
  return %s : tensor<3x40xf32>
}
