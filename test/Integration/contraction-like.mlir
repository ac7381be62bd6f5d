// A sum of products of functions of the factors is not a matrix product. The
// right results are those of the reference target.

// RUN: printf '[1 2 3]\n[0.5 -1 0]\n' > %t.txt
// RUN: dynbatch-run %s --instances=%t.txt --target=reference --params=random:3 > %t.reference
// RUN: dynbatch-run %s --instances=%t.txt --params=random:3 > %t.cpu
// RUN: dynbatch-run %s --instances=%t.txt --target=simt --params=random:3 > %t.simt
// RUN: %python %numpy/compare.py %t.cpu %t.reference --tolerance 1e-5
// RUN: %python %numpy/compare.py %t.simt %t.reference --tolerance 1e-5

ml_program.global private @W(#ml_program.extern<tensor<40x3xf32>>) : tensor<40x3xf32>

#matrix = affine_map<(n, k) -> (n, k)>
#row = affine_map<(n, k) -> (k)>
#column = affine_map<(n, k) -> (n)>
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

func.func @main(%x: tensor<3xf32>) -> (tensor<40xf32>, tensor<3x40xf32>) attributes {dynbatch.entry} {
  %W = ml_program.global_load_const @W : tensor<40x3xf32>
  %zero = arith.constant dense<0.0> : tensor<40xf32>
  %zeros = arith.constant dense<0.0> : tensor<3x40xf32>
  %a = linalg.generic {indexing_maps = [#matrix, #row, #column], iterator_types = ["parallel", "reduction"]}
      ins(%W, %x : tensor<40x3xf32>, tensor<3xf32>) outs(%zero : tensor<40xf32>) {
  ^bb0(%w: f32, %v: f32, %s: f32):
    %e = math.exp %w : f32
    %p = arith.mulf %e, %v : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<40xf32>

  // Both matrices are the task's.
  %e0 = tensor.empty() : tensor<3x3xf32>
  %l = linalg.broadcast ins(%x : tensor<3xf32>) outs(%e0 : tensor<3x3xf32>) dimensions = [0]
  %e1 = tensor.empty() : tensor<3x40xf32>
  %r = linalg.broadcast ins(%a : tensor<40xf32>) outs(%e1 : tensor<3x40xf32>) dimensions = [0]
  %b = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%l, %r : tensor<3x3xf32>, tensor<3x40xf32>) outs(%zeros : tensor<3x40xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %n = arith.negf %w : f32
    %p = arith.mulf %v, %n : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<3x40xf32>
  return %a, %b : tensor<40xf32>, tensor<3x40xf32>
}
