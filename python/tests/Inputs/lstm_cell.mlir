// torch.nn.LSTMCell(2, 3) in the form in which torch-mlir exports it: linalg on
// tensors, the state dict as arguments (weight_ih, weight_hh, bias_ih, bias_hh)
// behind the inputs (x, h, c), a batch of one.
#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d1)>
#first = affine_map<(d0, d1) -> (0, d1)>
module attributes {torch.debug_module_name = "LSTMCell"} {
  func.func @lstm_cell(%x: tensor<1x2xf32>, %h: tensor<1x3xf32>,
                       %c: tensor<1x3xf32>, %w_ih: tensor<12x2xf32>,
                       %w_hh: tensor<12x3xf32>, %b_ih: tensor<12xf32>,
                       %b_hh: tensor<12xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %one = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x12xf32>
    %1 = linalg.generic {indexing_maps = [#id, #swap], iterator_types = ["parallel", "parallel"]} ins(%w_ih : tensor<12x2xf32>) outs(%0 : tensor<2x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x12xf32>
    %2 = tensor.empty() : tensor<1x12xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x12xf32>) -> tensor<1x12xf32>
    %4 = linalg.matmul ins(%x, %1 : tensor<1x2xf32>, tensor<2x12xf32>) outs(%3 : tensor<1x12xf32>) -> tensor<1x12xf32>
    %5 = linalg.generic {indexing_maps = [#first, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%4, %b_ih : tensor<1x12xf32>, tensor<12xf32>) outs(%2 : tensor<1x12xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %a = arith.addf %in, %in_0 : f32
      linalg.yield %a : f32
    } -> tensor<1x12xf32>
    %6 = tensor.empty() : tensor<3x12xf32>
    %7 = linalg.generic {indexing_maps = [#id, #swap], iterator_types = ["parallel", "parallel"]} ins(%w_hh : tensor<12x3xf32>) outs(%6 : tensor<3x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x12xf32>
    %8 = linalg.matmul ins(%h, %7 : tensor<1x3xf32>, tensor<3x12xf32>) outs(%3 : tensor<1x12xf32>) -> tensor<1x12xf32>
    %9 = linalg.generic {indexing_maps = [#first, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%8, %b_hh : tensor<1x12xf32>, tensor<12xf32>) outs(%2 : tensor<1x12xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %a = arith.addf %in, %in_0 : f32
      linalg.yield %a : f32
    } -> tensor<1x12xf32>
    %10 = linalg.generic {indexing_maps = [#first, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%5, %9 : tensor<1x12xf32>, tensor<1x12xf32>) outs(%2 : tensor<1x12xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %a = arith.addf %in, %in_0 : f32
      linalg.yield %a : f32
    } -> tensor<1x12xf32>
    %extracted_slice = tensor.extract_slice %10[0, 0] [1, 3] [1, 1] : tensor<1x12xf32> to tensor<1x3xf32>
    %extracted_slice_0 = tensor.extract_slice %10[0, 3] [1, 3] [1, 1] : tensor<1x12xf32> to tensor<1x3xf32>
    %extracted_slice_1 = tensor.extract_slice %10[0, 6] [1, 3] [1, 1] : tensor<1x12xf32> to tensor<1x3xf32>
    %extracted_slice_2 = tensor.extract_slice %10[0, 9] [1, 3] [1, 1] : tensor<1x12xf32> to tensor<1x3xf32>
    %11 = tensor.empty() : tensor<1x3xf32>
    %12 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      %e = math.exp %n : f32
      %s = arith.addf %e, %one : f32
      %d = arith.divf %one, %s : f32
      linalg.yield %d : f32
    } -> tensor<1x3xf32>
    %13 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_0 : tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      %e = math.exp %n : f32
      %s = arith.addf %e, %one : f32
      %d = arith.divf %one, %s : f32
      linalg.yield %d : f32
    } -> tensor<1x3xf32>
    %14 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_1 : tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %t = math.tanh %in : f32
      linalg.yield %t : f32
    } -> tensor<1x3xf32>
    %15 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_2 : tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %n = arith.negf %in : f32
      %e = math.exp %n : f32
      %s = arith.addf %e, %one : f32
      %d = arith.divf %one, %s : f32
      linalg.yield %d : f32
    } -> tensor<1x3xf32>
    %16 = linalg.generic {indexing_maps = [#first, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%13, %c : tensor<1x3xf32>, tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %m = arith.mulf %in, %in_3 : f32
      linalg.yield %m : f32
    } -> tensor<1x3xf32>
    %17 = linalg.generic {indexing_maps = [#first, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%12, %14 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %m = arith.mulf %in, %in_3 : f32
      linalg.yield %m : f32
    } -> tensor<1x3xf32>
    %18 = linalg.generic {indexing_maps = [#first, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%16, %17 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %a = arith.addf %in, %in_3 : f32
      linalg.yield %a : f32
    } -> tensor<1x3xf32>
    %19 = linalg.generic {indexing_maps = [#first, #id], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %t = math.tanh %in : f32
      linalg.yield %t : f32
    } -> tensor<1x3xf32>
    %20 = linalg.generic {indexing_maps = [#first, #first, #id], iterator_types = ["parallel", "parallel"]} ins(%15, %19 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%11 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %m = arith.mulf %in, %in_3 : f32
      linalg.yield %m : f32
    } -> tensor<1x3xf32>
    return %20, %18 : tensor<1x3xf32>, tensor<1x3xf32>
  }
}
