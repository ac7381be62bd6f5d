// Bidirectional LSTM tagger (Graves, Schmidhuber 2005; Huang, Xu, Yu 2015): for
// each word the scores of nine tags, from the states of both directions, and
// the best tag. Gates are stacked: i, f, o, u.
//
// Knob H: small 256, large 512. Word vectors and the states of a direction.
// Knob V: 20000. Words.

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @forward_W(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @forward_U(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @forward_b(#ml_program.extern<tensor<1024xf32>>) : tensor<1024xf32>
ml_program.global private @backward_W(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @backward_U(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @backward_b(#ml_program.extern<tensor<1024xf32>>) : tensor<1024xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<9x512xf32>>) : tensor<9x512xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<9xf32>>) : tensor<9xf32>

func.func private @sigmoid(%x: tensor<256xf32>) -> tensor<256xf32> {
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %n = arith.negf %x : tensor<256xf32>
  %e = math.exp %n : tensor<256xf32>
  %d = arith.addf %e, %one : tensor<256xf32>
  %s = arith.divf %one, %d : tensor<256xf32>
  return %s : tensor<256xf32>
}

func.func private @lstm(%W: tensor<1024x256xf32>, %U: tensor<1024x256xf32>, %b: tensor<1024xf32>,
                        %x: tensor<256xf32>, %h: tensor<256xf32>, %c: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %z0 = linalg.matvec ins(%W, %x : tensor<1024x256xf32>, tensor<256xf32>) outs(%b : tensor<1024xf32>) -> tensor<1024xf32>
  %z = linalg.matvec ins(%U, %h : tensor<1024x256xf32>, tensor<256xf32>) outs(%z0 : tensor<1024xf32>) -> tensor<1024xf32>
  %zi = tensor.extract_slice %z[0] [256] [1] : tensor<1024xf32> to tensor<256xf32>
  %zf = tensor.extract_slice %z[256] [256] [1] : tensor<1024xf32> to tensor<256xf32>
  %zo = tensor.extract_slice %z[512] [256] [1] : tensor<1024xf32> to tensor<256xf32>
  %zu = tensor.extract_slice %z[768] [256] [1] : tensor<1024xf32> to tensor<256xf32>
  %i = call @sigmoid(%zi) : (tensor<256xf32>) -> tensor<256xf32>
  %f = call @sigmoid(%zf) : (tensor<256xf32>) -> tensor<256xf32>
  %o = call @sigmoid(%zo) : (tensor<256xf32>) -> tensor<256xf32>
  %u = math.tanh %zu : tensor<256xf32>
  %iu = arith.mulf %i, %u : tensor<256xf32>
  %fc = arith.mulf %f, %c : tensor<256xf32>
  %c1 = arith.addf %iu, %fc : tensor<256xf32>
  %tc = math.tanh %c1 : tensor<256xf32>
  %h1 = arith.mulf %o, %tc : tensor<256xf32>
  return %h1, %c1 : tensor<256xf32>, tensor<256xf32>
}

// Position of the largest element, the first of several.
func.func private @argmax(%z: tensor<9xf32>) -> tensor<i32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<f32>
  %1 = tensor.empty() : tensor<i32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%0 : tensor<f32>) -> tensor<f32>
  %at0 = linalg.fill ins(%zero : i32) outs(%1 : tensor<i32>) -> tensor<i32>
  %max, %at = linalg.generic {
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>, affine_map<(k) -> ()>],
      iterator_types = ["reduction"]}
      ins(%z : tensor<9xf32>) outs(%max0, %at0 : tensor<f32>, tensor<i32>) {
  ^bb0(%x: f32, %m: f32, %a: i32):
    %k = linalg.index 0 : index
    %here = arith.index_cast %k : index to i32
    %greater = arith.cmpf ogt, %x, %m : f32
    %m1 = arith.select %greater, %x, %m : f32
    %a1 = arith.select %greater, %here, %a : i32
    linalg.yield %m1, %a1 : f32, i32
  } -> (tensor<f32>, tensor<i32>)
  return %at : tensor<i32>
}

func.func @main(%words: !dynbatch.seq<i32>) -> (!dynbatch.seq<tensor<9xf32>>, !dynbatch.seq<tensor<i32>>) attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
  %W_f = ml_program.global_load_const @forward_W : tensor<1024x256xf32>
  %U_f = ml_program.global_load_const @forward_U : tensor<1024x256xf32>
  %b_f = ml_program.global_load_const @forward_b : tensor<1024xf32>
  %W_b = ml_program.global_load_const @backward_W : tensor<1024x256xf32>
  %U_b = ml_program.global_load_const @backward_U : tensor<1024x256xf32>
  %b_b = ml_program.global_load_const @backward_b : tensor<1024xf32>
  %W = ml_program.global_load_const @out_W : tensor<9x512xf32>
  %b = ml_program.global_load_const @out_b : tensor<9xf32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>

  %xs = dynbatch.map (%w = %words : !dynbatch.seq<i32>) -> !dynbatch.seq<tensor<256xf32>> {
    %x = dynbatch.lookup %E[%w] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
    dynbatch.yield %x : tensor<256xf32>
  }
  %hf, %cf, %fs = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<256xf32>>)
      carry(%h = %zero : tensor<256xf32>, %c = %zero : tensor<256xf32>) -> !dynbatch.seq<tensor<256xf32>> {
    %h1, %c1 = func.call @lstm(%W_f, %U_f, %b_f, %x, %h, %c) : (tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
    dynbatch.yield %h1, %c1, %h1 : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }
  %hb, %cb, %bs = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<tensor<256xf32>>)
      carry(%h = %zero : tensor<256xf32>, %c = %zero : tensor<256xf32>) -> !dynbatch.seq<tensor<256xf32>> {
    %h1, %c1 = func.call @lstm(%W_b, %U_b, %b_b, %x, %h, %c) : (tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
    dynbatch.yield %h1, %c1, %h1 : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }
  %scores, %tags = dynbatch.map (%f = %fs : !dynbatch.seq<tensor<256xf32>>, %g = %bs : !dynbatch.seq<tensor<256xf32>>)
      -> (!dynbatch.seq<tensor<9xf32>>, !dynbatch.seq<tensor<i32>>) {
    %both = tensor.concat dim(0) %f, %g : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
    %z = linalg.matvec ins(%W, %both : tensor<9x512xf32>, tensor<512xf32>) outs(%b : tensor<9xf32>) -> tensor<9xf32>
    %tag = func.call @argmax(%z) : (tensor<9xf32>) -> tensor<i32>
    dynbatch.yield %z, %tag : tensor<9xf32>, tensor<i32>
  }
  return %scores, %tags : !dynbatch.seq<tensor<9xf32>>, !dynbatch.seq<tensor<i32>>
}
