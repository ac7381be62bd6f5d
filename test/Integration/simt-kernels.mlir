// GPU kernels, thread by thread: all kinds of ops that the models lack, in one
// task and in several. Rows have the same bits in any batch and with any tiles.

// RUN: split-file %s %t
// RUN: %python %t/instances.py > %t/instances.txt
// DEFINE: %{run} = dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:4
// RUN: %{run} --target=reference --output=%t/reference.txt
// RUN: %{run} --target=simt --verify-schedule --output=%t/simt.txt
// RUN: %python %numpy/compare.py %t/reference.txt %t/simt.txt --tolerance 1e-4
// RUN: %{run} --target=simt --batch-size=1 --output=%t/alone.txt
// RUN: cmp %t/simt.txt %t/alone.txt

//--- instances.py
import random
random.seed(1)
def tensor(*shape):
    if not shape:
        return "%.3f" % random.uniform(-1, 1)
    return "[" + " ".join(tensor(*shape[1:]) for _ in range(shape[0])) + "]"
for _ in range(5):
    print(tensor(3, 40), tensor(70), tensor(40, 6), tensor())

//--- model.mlir
ml_program.global private @gates(#ml_program.extern<tensor<165x70xf32>>) : tensor<165x70xf32>
ml_program.global private @bias(#ml_program.extern<tensor<165xf32>>) : tensor<165xf32>
ml_program.global private @wide(#ml_program.extern<tensor<103x66xf32>>) : tensor<103x66xf32>

#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>

// Sums, products, extrema and positions, long and short; in f64 and integers.
func.func private @reduce(%x: tensor<3x40xf32>, %v: tensor<70xf32>)
    -> (tensor<3x40xf32>, tensor<3xf64>, tensor<i32>, tensor<f32>, tensor<40xf32>) {
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  %least = arith.constant -1.0e30 : f32
  %none = arith.constant -1 : i32
  %e3 = tensor.empty() : tensor<3xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %m3 = linalg.fill ins(%least : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3x40xf32>) outs(%z3 : tensor<3xf32>) dimensions = [1]
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<3x40xf32>) outs(%m3 : tensor<3xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<3x40xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %max : tensor<3x40xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3x40xf32>) {
  ^bb0(%a: f32, %s: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %s : f32
    %3 = math.tanh %2 : f32
    linalg.yield %3 : f32
  } -> tensor<3x40xf32>
  // Of a computed tensor, to f64.
  %e64 = tensor.empty() : tensor<3xf64>
  %z64 = linalg.fill ins(%zero64 : f64) outs(%e64 : tensor<3xf64>) -> tensor<3xf64>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%norm : tensor<3x40xf32>) outs(%z64 : tensor<3xf64>) {
  ^bb0(%a: f32, %o: f64):
    %0 = arith.extf %a : f32 to f64
    %1 = arith.mulf %0, %0 : f64
    %2 = arith.addf %o, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<3xf64>
  // Position of the largest element.
  %p = tensor.empty() : tensor<i32>
  %f = tensor.empty() : tensor<f32>
  %p0 = linalg.fill ins(%none : i32) outs(%p : tensor<i32>) -> tensor<i32>
  %f0 = linalg.fill ins(%least : f32) outs(%f : tensor<f32>) -> tensor<f32>
  %best:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%v : tensor<70xf32>) outs(%p0, %f0 : tensor<i32>, tensor<f32>) {
  ^bb0(%a: f32, %i: i32, %m: f32):
    %0 = linalg.index 0 : index
    %1 = arith.index_cast %0 : index to i32
    %2 = arith.cmpf ogt, %a, %m : f32
    %3 = arith.select %2, %1, %i : i32
    %4 = arith.select %2, %a, %m : f32
    linalg.yield %3, %4 : i32, f32
  } -> (tensor<i32>, tensor<f32>)
  // Over the leading dimension, of two.
  %e40 = tensor.empty() : tensor<40xf32>
  %z40 = linalg.fill ins(%zero : f32) outs(%e40 : tensor<40xf32>) -> tensor<40xf32>
  %columns = linalg.reduce { arith.addf } ins(%norm : tensor<3x40xf32>) outs(%z40 : tensor<40xf32>) dimensions = [0]
  return %norm, %squares, %best#0, %best#1, %columns : tensor<3x40xf32>, tensor<3xf64>, tensor<i32>, tensor<f32>, tensor<40xf32>
}

// Five gates of a width that no tile has, in one launch.
func.func private @cell(%v: tensor<70xf32>, %s: f32) -> tensor<33xf32> {
  %W = ml_program.global_load_const @gates : tensor<165x70xf32>
  %b = ml_program.global_load_const @bias : tensor<165xf32>
  %z = linalg.matvec ins(%W, %v : tensor<165x70xf32>, tensor<70xf32>) outs(%b : tensor<165xf32>) -> tensor<165xf32>
  %0 = tensor.extract_slice %z[0] [33] [1] : tensor<165xf32> to tensor<33xf32>
  %1 = tensor.extract_slice %z[33] [33] [1] : tensor<165xf32> to tensor<33xf32>
  %2 = tensor.extract_slice %z[66] [33] [1] : tensor<165xf32> to tensor<33xf32>
  %3 = tensor.extract_slice %z[99] [33] [1] : tensor<165xf32> to tensor<33xf32>
  %4 = tensor.extract_slice %z[132] [33] [1] : tensor<165xf32> to tensor<33xf32>
  %5 = math.tanh %0 : tensor<33xf32>
  %6 = arith.mulf %5, %1 : tensor<33xf32>
  %7 = math.erf %2 : tensor<33xf32>
  %8 = arith.addf %6, %7 : tensor<33xf32>
  %9 = arith.mulf %8, %3 : tensor<33xf32>
  %10 = arith.subf %9, %4 : tensor<33xf32>
  %scale = tensor.splat %s : tensor<33xf32>
  %11 = arith.mulf %10, %scale : tensor<33xf32>
  return %11 : tensor<33xf32>
}

// Contractions of tensors that were moved about and of two varying ones.
func.func private @contract(%x: tensor<3x40xf32>, %v: tensor<70xf32>, %m: tensor<40x6xf32>, %h: tensor<33xf32>)
    -> (tensor<66xf32>, tensor<3x6xf32>, tensor<6xf32>, tensor<3x3xf64>, tensor<2x3x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  %W = ml_program.global_load_const @wide : tensor<103x66xf32>
  %c = tensor.concat dim(0) %v, %h : (tensor<70xf32>, tensor<33xf32>) -> tensor<103xf32>
  %e66 = tensor.empty() : tensor<66xf32>
  %z66 = linalg.fill ins(%zero : f32) outs(%e66 : tensor<66xf32>) -> tensor<66xf32>
  %y = linalg.vecmat ins(%c, %W : tensor<103xf32>, tensor<103x66xf32>) outs(%z66 : tensor<66xf32>) -> tensor<66xf32>
  %e36 = tensor.empty() : tensor<3x6xf32>
  %z36 = linalg.fill ins(%zero : f32) outs(%e36 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %p = linalg.matmul ins(%x, %m : tensor<3x40xf32>, tensor<40x6xf32>) outs(%z36 : tensor<3x6xf32>) -> tensor<3x6xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %t = tensor.empty() : tensor<6x40xf32>
  %mt = linalg.transpose ins(%m : tensor<40x6xf32>) outs(%t : tensor<6x40xf32>) permutation = [1, 0]
  %r = tensor.extract_slice %x[1, 0] [1, 40] [1, 1] : tensor<3x40xf32> to tensor<40xf32>
  %q = linalg.matvec ins(%mt, %r : tensor<6x40xf32>, tensor<40xf32>) outs(%z6 : tensor<6xf32>) -> tensor<6xf32>
  // In f64.
  %x64 = arith.extf %x : tensor<3x40xf32> to tensor<3x40xf64>
  %t64 = tensor.empty() : tensor<40x3xf64>
  %xt = linalg.transpose ins(%x64 : tensor<3x40xf64>) outs(%t64 : tensor<40x3xf64>) permutation = [1, 0]
  %e33 = tensor.empty() : tensor<3x3xf64>
  %z33 = linalg.fill ins(%zero64 : f64) outs(%e33 : tensor<3x3xf64>) -> tensor<3x3xf64>
  %s = linalg.matmul ins(%x64, %xt : tensor<3x40xf64>, tensor<40x3xf64>) outs(%z33 : tensor<3x3xf64>) -> tensor<3x3xf64>
  // Of two heads.
  %x3 = tensor.expand_shape %x [[0], [1, 2]] output_shape [3, 2, 20] : tensor<3x40xf32> into tensor<3x2x20xf32>
  %m3 = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, 20, 6] : tensor<40x6xf32> into tensor<2x20x6xf32>
  %e236 = tensor.empty() : tensor<2x3x6xf32>
  %z236 = linalg.fill ins(%zero : f32) outs(%e236 : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  %heads = linalg.contract indexing_maps = [affine_map<(h, i, j, k) -> (i, h, k)>, affine_map<(h, i, j, k) -> (h, k, j)>, affine_map<(h, i, j, k) -> (h, i, j)>]
      ins(%x3, %m3 : tensor<3x2x20xf32>, tensor<2x20x6xf32>) outs(%z236 : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return %y, %p, %q, %s, %heads : tensor<66xf32>, tensor<3x6xf32>, tensor<6xf32>, tensor<3x3xf64>, tensor<2x3x6xf32>
}

// Views: padding, insertion, reversal by a captured tensor, a table of constants.
func.func private @move(%x: tensor<3x40xf32>, %h: tensor<33xf32>) -> (tensor<5x44xf32>, tensor<3x40xf32>, tensor<33xf32>, tensor<8xf32>) {
  %one = arith.constant 1.0 : f32
  %pad = tensor.pad %x low[1, 3] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<3x40xf32> to tensor<5x44xf32>
  %part = tensor.extract_slice %h[4] [20] [1] : tensor<33xf32> to tensor<20xf32>
  %put = tensor.insert_slice %part into %x[1, 7] [1, 20] [1, 1] : tensor<20xf32> into tensor<3x40xf32>
  %e = tensor.empty() : tensor<33xf32>
  %last = arith.constant 32 : index
  %reversed = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<33xf32>) {
  ^bb0(%o: f32):
    %0 = linalg.index 0 : index
    %1 = arith.subi %last, %0 : index
    %2 = tensor.extract %h[%1] : tensor<33xf32>
    %3 = math.absf %2 : f32
    linalg.yield %3 : f32
  } -> tensor<33xf32>
  %table = arith.constant dense<[0.5, 1.5, -2.0, 4.0, 0.25, 8.0, 1.0, 3.0]> : tensor<8xf32>
  %eighth = tensor.extract_slice %h[25] [8] [1] : tensor<33xf32> to tensor<8xf32>
  %scaled = arith.mulf %eighth, %table : tensor<8xf32>
  return %pad, %put, %reversed, %scaled : tensor<5x44xf32>, tensor<3x40xf32>, tensor<33xf32>, tensor<8xf32>
}

func.func @main(%x: tensor<3x40xf32>, %v: tensor<70xf32>, %m: tensor<40x6xf32>, %s: f32)
    -> (tensor<3x40xf32>, tensor<3xf64>, tensor<i32>, tensor<f32>, tensor<40xf32>, tensor<33xf32>, tensor<66xf32>, tensor<3x6xf32>,
        tensor<6xf32>, tensor<3x3xf64>, tensor<2x3x6xf32>, tensor<5x44xf32>, tensor<3x40xf32>, tensor<33xf32>, tensor<8xf32>)
    attributes {dynbatch.entry} {
  %0:5 = call @reduce(%x, %v) : (tensor<3x40xf32>, tensor<70xf32>) -> (tensor<3x40xf32>, tensor<3xf64>, tensor<i32>, tensor<f32>, tensor<40xf32>)
  %1 = call @cell(%v, %s) : (tensor<70xf32>, f32) -> tensor<33xf32>
  %2:5 = call @contract(%x, %v, %m, %1) : (tensor<3x40xf32>, tensor<70xf32>, tensor<40x6xf32>, tensor<33xf32>)
      -> (tensor<66xf32>, tensor<3x6xf32>, tensor<6xf32>, tensor<3x3xf64>, tensor<2x3x6xf32>)
  %3:4 = call @move(%x, %1) : (tensor<3x40xf32>, tensor<33xf32>) -> (tensor<5x44xf32>, tensor<3x40xf32>, tensor<33xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %1, %2#0, %2#1, %2#2, %2#3, %2#4, %3#0, %3#1, %3#2, %3#3
      : tensor<3x40xf32>, tensor<3xf64>, tensor<i32>, tensor<f32>, tensor<40xf32>, tensor<33xf32>, tensor<66xf32>, tensor<3x6xf32>,
        tensor<6xf32>, tensor<3x3xf64>, tensor<2x3x6xf32>, tensor<5x44xf32>, tensor<3x40xf32>, tensor<33xf32>, tensor<8xf32>
}
