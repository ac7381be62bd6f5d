// BERxiT (Xin, Tang, Yu, Lin 2021): an encoder of transformer layers (Vaswani et
// al. 2017; post-norm and GELU as in Devlin et al. 2019) that is left early.
// After each layer a learned confidence is computed from the first token; when
// it is above 0.7, or after the last layer, the first token is classified.
// Layers share their weights (Lan et al. 2020). The input are the tokens'
// vectors. Results: sixteen scores, and the number of layers.
//
// Knob S: 128. Tokens.
// Knob D: small 768, large 1024. Vectors of tokens.
// Knob N: small 12, large 16. Heads.
// Knob L: small 6, large 18. Layers at most.

ml_program.global private @positions(#ml_program.extern<tensor<128x768xf32>>) : tensor<128x768xf32>
ml_program.global private @input_scale(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @input_shift(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @query_W(#ml_program.extern<tensor<768x768xf32>>) : tensor<768x768xf32>
ml_program.global private @query_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @key_W(#ml_program.extern<tensor<768x768xf32>>) : tensor<768x768xf32>
ml_program.global private @key_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @value_W(#ml_program.extern<tensor<768x768xf32>>) : tensor<768x768xf32>
ml_program.global private @value_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @mix_W(#ml_program.extern<tensor<768x768xf32>>) : tensor<768x768xf32>
ml_program.global private @mix_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @attention_scale(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @attention_shift(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @wide_W(#ml_program.extern<tensor<768x3072xf32>>) : tensor<768x3072xf32>
ml_program.global private @wide_b(#ml_program.extern<tensor<3072xf32>>) : tensor<3072xf32>
ml_program.global private @narrow_W(#ml_program.extern<tensor<3072x768xf32>>) : tensor<3072x768xf32>
ml_program.global private @narrow_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @output_scale(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @output_shift(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @exit_W(#ml_program.extern<tensor<1x768xf32>>) : tensor<1x768xf32>
ml_program.global private @exit_b(#ml_program.extern<tensor<1xf32>>) : tensor<1xf32>
ml_program.global private @class_W(#ml_program.extern<tensor<16x768xf32>>) : tensor<16x768xf32>
ml_program.global private @class_b(#ml_program.extern<tensor<16xf32>>) : tensor<16xf32>

// x W + b for each token.
func.func private @linear(%W: tensor<768x768xf32>, %b: tensor<768xf32>, %x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %0 = tensor.empty() : tensor<128x768xf32>
  %bs = linalg.broadcast ins(%b : tensor<768xf32>) outs(%0 : tensor<128x768xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %W : tensor<128x768xf32>, tensor<768x768xf32>) outs(%bs : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %y : tensor<128x768xf32>
}

// Layer normalization (Ba, Kiros, Hinton 2016); factors are 1 + %scale.
func.func private @normalize(%scale: tensor<768xf32>, %shift: tensor<768xf32>, %x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %size = arith.constant 768.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %0 = tensor.empty() : tensor<128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%0 : tensor<128xf32>) -> tensor<128xf32>
  %1 = tensor.empty() : tensor<128x768xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(s, d) -> (s, d)>, affine_map<(s, d) -> (s)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x768xf32>) outs(%zeros : tensor<128xf32>) {
  ^bb0(%e: f32, %a: f32):
    %s = arith.addf %a, %e : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  %centered = linalg.generic {
      indexing_maps = [affine_map<(s, d) -> (s, d)>, affine_map<(s, d) -> (s)>, affine_map<(s, d) -> (s, d)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<128x768xf32>, tensor<128xf32>) outs(%1 : tensor<128x768xf32>) {
  ^bb0(%e: f32, %t: f32, %u: f32):
    %mean = arith.divf %t, %size : f32
    %c = arith.subf %e, %mean : f32
    linalg.yield %c : f32
  } -> tensor<128x768xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(s, d) -> (s, d)>, affine_map<(s, d) -> (s)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%centered : tensor<128x768xf32>) outs(%zeros : tensor<128xf32>) {
  ^bb0(%e: f32, %a: f32):
    %q = arith.mulf %e, %e : f32
    %s = arith.addf %a, %q : f32
    linalg.yield %s : f32
  } -> tensor<128xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(s, d) -> (s, d)>, affine_map<(s, d) -> (s)>, affine_map<(s, d) -> (d)>, affine_map<(s, d) -> (d)>, affine_map<(s, d) -> (s, d)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%centered, %squares, %scale, %shift : tensor<128x768xf32>, tensor<128xf32>, tensor<768xf32>, tensor<768xf32>) outs(%1 : tensor<128x768xf32>) {
  ^bb0(%c: f32, %q: f32, %g: f32, %b: f32, %u: f32):
    %variance = arith.divf %q, %size : f32
    %v = arith.addf %variance, %epsilon : f32
    %r = math.rsqrt %v : f32
    %n = arith.mulf %c, %r : f32
    %f = arith.addf %one, %g : f32
    %m = arith.mulf %n, %f : f32
    %o = arith.addf %m, %b : f32
    linalg.yield %o : f32
  } -> tensor<128x768xf32>
  return %y : tensor<128x768xf32>
}

// Heads first: [head, token, element].
func.func private @split_heads(%x: tensor<128x768xf32>) -> tensor<12x128x64xf32> {
  %0 = tensor.empty() : tensor<12x128x64xf32>
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [128, 12, 64] : tensor<128x768xf32> into tensor<128x12x64xf32>
  %t = linalg.transpose ins(%e : tensor<128x12x64xf32>) outs(%0 : tensor<12x128x64xf32>) permutation = [1, 0, 2]
  return %t : tensor<12x128x64xf32>
}

func.func private @attention(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %W_q = ml_program.global_load_const @query_W : tensor<768x768xf32>
  %b_q = ml_program.global_load_const @query_b : tensor<768xf32>
  %W_k = ml_program.global_load_const @key_W : tensor<768x768xf32>
  %b_k = ml_program.global_load_const @key_b : tensor<768xf32>
  %W_v = ml_program.global_load_const @value_W : tensor<768x768xf32>
  %b_v = ml_program.global_load_const @value_b : tensor<768xf32>
  %W_m = ml_program.global_load_const @mix_W : tensor<768x768xf32>
  %b_m = ml_program.global_load_const @mix_b : tensor<768xf32>
  %zero = arith.constant 0.0 : f32
  %size = arith.constant dense<64.0> : tensor<12x128x128xf32>
  %q0 = call @linear(%W_q, %b_q, %x) : (tensor<768x768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  %k0 = call @linear(%W_k, %b_k, %x) : (tensor<768x768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  %v0 = call @linear(%W_v, %b_v, %x) : (tensor<768x768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  %q = call @split_heads(%q0) : (tensor<128x768xf32>) -> tensor<12x128x64xf32>
  %k = call @split_heads(%k0) : (tensor<128x768xf32>) -> tensor<12x128x64xf32>
  %v = call @split_heads(%v0) : (tensor<128x768xf32>) -> tensor<12x128x64xf32>
  %0 = tensor.empty() : tensor<12x64x128xf32>
  %kt = linalg.transpose ins(%k : tensor<12x128x64xf32>) outs(%0 : tensor<12x64x128xf32>) permutation = [0, 2, 1]
  %1 = tensor.empty() : tensor<12x128x128xf32>
  %a0 = linalg.fill ins(%zero : f32) outs(%1 : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %qk = linalg.batch_matmul ins(%q, %kt : tensor<12x128x64xf32>, tensor<12x64x128xf32>) outs(%a0 : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %root = math.sqrt %size : tensor<12x128x128xf32>
  %scores = arith.divf %qk, %root : tensor<12x128x128xf32>
  %a = linalg.softmax dimension(2) ins(%scores : tensor<12x128x128xf32>) outs(%1 : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %2 = tensor.empty() : tensor<12x128x64xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%2 : tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %o = linalg.batch_matmul ins(%a, %v : tensor<12x128x128xf32>, tensor<12x128x64xf32>) outs(%o0 : tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %3 = tensor.empty() : tensor<128x12x64xf32>
  %ot = linalg.transpose ins(%o : tensor<12x128x64xf32>) outs(%3 : tensor<128x12x64xf32>) permutation = [1, 0, 2]
  %joined = tensor.collapse_shape %ot [[0], [1, 2]] : tensor<128x12x64xf32> into tensor<128x768xf32>
  %y = call @linear(%W_m, %b_m, %joined) : (tensor<768x768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  return %y : tensor<128x768xf32>
}

func.func private @feed_forward(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %W_w = ml_program.global_load_const @wide_W : tensor<768x3072xf32>
  %b_w = ml_program.global_load_const @wide_b : tensor<3072xf32>
  %W_n = ml_program.global_load_const @narrow_W : tensor<3072x768xf32>
  %b_n = ml_program.global_load_const @narrow_b : tensor<768xf32>
  %half = arith.constant dense<0.5> : tensor<128x3072xf32>
  %one = arith.constant dense<1.0> : tensor<128x3072xf32>
  %root = arith.constant dense<0.70710678118654752> : tensor<128x3072xf32>
  %0 = tensor.empty() : tensor<128x3072xf32>
  %bw = linalg.broadcast ins(%b_w : tensor<3072xf32>) outs(%0 : tensor<128x3072xf32>) dimensions = [0]
  %w = linalg.matmul ins(%x, %W_w : tensor<128x768xf32>, tensor<768x3072xf32>) outs(%bw : tensor<128x3072xf32>) -> tensor<128x3072xf32>
  %scaled = arith.mulf %w, %root : tensor<128x3072xf32>
  %erf = math.erf %scaled : tensor<128x3072xf32>
  %plus = arith.addf %erf, %one : tensor<128x3072xf32>
  %cdf = arith.mulf %plus, %half : tensor<128x3072xf32>
  %gelu = arith.mulf %w, %cdf : tensor<128x3072xf32>
  %1 = tensor.empty() : tensor<128x768xf32>
  %bn = linalg.broadcast ins(%b_n : tensor<768xf32>) outs(%1 : tensor<128x768xf32>) dimensions = [0]
  %y = linalg.matmul ins(%gelu, %W_n : tensor<128x3072xf32>, tensor<3072x768xf32>) outs(%bn : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %y : tensor<128x768xf32>
}

func.func private @layer(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %g_a = ml_program.global_load_const @attention_scale : tensor<768xf32>
  %b_a = ml_program.global_load_const @attention_shift : tensor<768xf32>
  %g_o = ml_program.global_load_const @output_scale : tensor<768xf32>
  %b_o = ml_program.global_load_const @output_shift : tensor<768xf32>
  %a = call @attention(%x) : (tensor<128x768xf32>) -> tensor<128x768xf32>
  %xa = arith.addf %x, %a : tensor<128x768xf32>
  %y = call @normalize(%g_a, %b_a, %xa) : (tensor<768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  %f = call @feed_forward(%y) : (tensor<128x768xf32>) -> tensor<128x768xf32>
  %yf = arith.addf %y, %f : tensor<128x768xf32>
  %z = call @normalize(%g_o, %b_o, %yf) : (tensor<768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  return %z : tensor<128x768xf32>
}

func.func private @first_token(%x: tensor<128x768xf32>) -> tensor<768xf32> {
  %t = tensor.extract_slice %x[0, 0] [1, 768] [1, 1] : tensor<128x768xf32> to tensor<768xf32>
  return %t : tensor<768xf32>
}

// How certain the model is of the class after a layer.
func.func private @confidence(%x: tensor<128x768xf32>) -> tensor<1xf32> {
  %W = ml_program.global_load_const @exit_W : tensor<1x768xf32>
  %b = ml_program.global_load_const @exit_b : tensor<1xf32>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %t = call @first_token(%x) : (tensor<128x768xf32>) -> tensor<768xf32>
  %z = linalg.matvec ins(%W, %t : tensor<1x768xf32>, tensor<768xf32>) outs(%b : tensor<1xf32>) -> tensor<1xf32>
  %n = arith.negf %z : tensor<1xf32>
  %e = math.exp %n : tensor<1xf32>
  %d = arith.addf %e, %one : tensor<1xf32>
  %c = arith.divf %one, %d : tensor<1xf32>
  return %c : tensor<1xf32>
}

func.func @main(%tokens: tensor<128x768xf32>) -> (tensor<16xf32>, i32) attributes {dynbatch.entry} {
  %P = ml_program.global_load_const @positions : tensor<128x768xf32>
  %g = ml_program.global_load_const @input_scale : tensor<768xf32>
  %s = ml_program.global_load_const @input_shift : tensor<768xf32>
  %W = ml_program.global_load_const @class_W : tensor<16x768xf32>
  %b = ml_program.global_load_const @class_b : tensor<16xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 6 : i32
  %sure = arith.constant 0.7 : f32
  %no = arith.constant false
  %xp = arith.addf %tokens, %P : tensor<128x768xf32>
  %x0 = call @normalize(%g, %s, %xp) : (tensor<768xf32>, tensor<768xf32>, tensor<128x768xf32>) -> tensor<128x768xf32>
  %x, %layers = scf.while (%x1 = %x0, %n0 = %zero) : (tensor<128x768xf32>, i32) -> (tensor<128x768xf32>, i32) {
    %x2 = func.call @layer(%x1) : (tensor<128x768xf32>) -> tensor<128x768xf32>
    %n1 = arith.addi %n0, %one : i32
    %c = func.call @confidence(%x2) : (tensor<128x768xf32>) -> tensor<1xf32>
    %may = arith.cmpi slt, %n1, %most : i32
    %more = scf.if %may -> i1 {
      %p = tensor.extract %c[%c0] : tensor<1xf32>
      %unsure = arith.cmpf ole, %p, %sure : f32
      scf.yield %unsure : i1
    } else {
      scf.yield %no : i1
    }
    scf.condition(%more) %x2, %n1 : tensor<128x768xf32>, i32
  } do {
  ^bb0(%x2: tensor<128x768xf32>, %n1: i32):
    scf.yield %x2, %n1 : tensor<128x768xf32>, i32
  }
  %t = call @first_token(%x) : (tensor<128x768xf32>) -> tensor<768xf32>
  %y = linalg.matvec ins(%W, %t : tensor<16x768xf32>, tensor<768xf32>) outs(%b : tensor<16xf32>) -> tensor<16xf32>
  return %y, %layers : tensor<16xf32>, i32
}
