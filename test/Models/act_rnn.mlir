// Recurrent network with adaptive computation time (Graves 2016): for each word
// the cell runs until its halting probabilities sum to 1 - epsilon, at most ten
// times. The state that goes on and the output are the means of those on the
// way. Results: an output and the ponder cost of each word, and the number of
// all steps.
//
// Knob H: small 256, large 512. Word vectors and states.
// Knob V: 20000. Words.

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @W(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @first(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @halt_W(#ml_program.extern<tensor<1x256xf32>>) : tensor<1x256xf32>
ml_program.global private @halt_b(#ml_program.extern<tensor<1xf32>>) : tensor<1xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<5x256xf32>>) : tensor<5x256xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<5xf32>>) : tensor<5xf32>

// The next state and its halting probability. The first step for a word is
// marked by one more input, whose weights are @first.
func.func private @cell(%x: tensor<256xf32>, %s: tensor<256xf32>, %mark: f32) -> (tensor<256xf32>, tensor<1xf32>) {
  %W = ml_program.global_load_const @W : tensor<256x256xf32>
  %U = ml_program.global_load_const @U : tensor<256x256xf32>
  %b = ml_program.global_load_const @b : tensor<256xf32>
  %first = ml_program.global_load_const @first : tensor<256xf32>
  %W_h = ml_program.global_load_const @halt_W : tensor<1x256xf32>
  %b_h = ml_program.global_load_const @halt_b : tensor<1xf32>
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %z0 = linalg.matvec ins(%W, %x : tensor<256x256xf32>, tensor<256xf32>) outs(%b : tensor<256xf32>) -> tensor<256xf32>
  %z1 = linalg.matvec ins(%U, %s : tensor<256x256xf32>, tensor<256xf32>) outs(%z0 : tensor<256xf32>) -> tensor<256xf32>
  %marks = tensor.splat %mark : tensor<256xf32>
  %m = arith.mulf %marks, %first : tensor<256xf32>
  %z = arith.addf %z1, %m : tensor<256xf32>
  %s1 = math.tanh %z : tensor<256xf32>
  %zh = linalg.matvec ins(%W_h, %s1 : tensor<1x256xf32>, tensor<256xf32>) outs(%b_h : tensor<1xf32>) -> tensor<1xf32>
  %n = arith.negf %zh : tensor<1xf32>
  %e = math.exp %n : tensor<1xf32>
  %d = arith.addf %e, %one : tensor<1xf32>
  %h = arith.divf %one, %d : tensor<1xf32>
  return %s1, %h : tensor<256xf32>, tensor<1xf32>
}

// All steps for one word: the mean state, the ponder cost and their number.
func.func private @ponder(%x: tensor<256xf32>, %state: tensor<256xf32>) -> (tensor<256xf32>, f32, i32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 10 : i32
  %0 = arith.constant 0.0 : f32
  %1 = arith.constant 1.0 : f32
  %enough = arith.constant 0.99 : f32
  %none = arith.constant dense<0.0> : tensor<256xf32>
  %s, %mean, %sum, %cost, %steps = scf.while (%s0 = %state, %mean0 = %none, %sum0 = %0, %n0 = %zero)
      : (tensor<256xf32>, tensor<256xf32>, f32, i32) -> (tensor<256xf32>, tensor<256xf32>, f32, f32, i32) {
    %is_first = arith.cmpi eq, %n0, %zero : i32
    %mark = arith.select %is_first, %1, %0 : f32
    %s1, %h = func.call @cell(%x, %s0, %mark) : (tensor<256xf32>, tensor<256xf32>, f32) -> (tensor<256xf32>, tensor<1xf32>)
    %p = tensor.extract %h[%c0] : tensor<1xf32>
    %n1 = arith.addi %n0, %one : i32
    %sum1 = arith.addf %sum0, %p : f32
    %below = arith.cmpf olt, %sum1, %enough : f32
    %may = arith.cmpi slt, %n1, %most : i32
    %more = arith.andi %below, %may : i1
    // The last step gets what is left.
    %rest = arith.subf %1, %sum0 : f32
    %weight = arith.select %more, %p, %rest : f32
    %weights = tensor.splat %weight : tensor<256xf32>
    %part = arith.mulf %weights, %s1 : tensor<256xf32>
    %mean1 = arith.addf %mean0, %part : tensor<256xf32>
    %steps1 = arith.sitofp %n1 : i32 to f32
    %cost1 = arith.addf %steps1, %rest : f32
    scf.condition(%more) %s1, %mean1, %sum1, %cost1, %n1 : tensor<256xf32>, tensor<256xf32>, f32, f32, i32
  } do {
  ^bb0(%s1: tensor<256xf32>, %mean1: tensor<256xf32>, %sum1: f32, %cost1: f32, %n1: i32):
    scf.yield %s1, %mean1, %sum1, %n1 : tensor<256xf32>, tensor<256xf32>, f32, i32
  }
  return %mean, %cost, %steps : tensor<256xf32>, f32, i32
}

func.func @main(%words: !dynbatch.seq<i32>) -> (!dynbatch.seq<tensor<5xf32>>, !dynbatch.seq<f32>, i32) attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
  %W = ml_program.global_load_const @out_W : tensor<5x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %s0 = arith.constant dense<0.0> : tensor<256xf32>
  %steps0 = arith.constant 0 : i32
  %s, %steps, %ys, %costs = dynbatch.scan (%w = %words : !dynbatch.seq<i32>)
      carry(%s1 = %s0 : tensor<256xf32>, %steps1 = %steps0 : i32) -> (!dynbatch.seq<tensor<5xf32>>, !dynbatch.seq<f32>) {
    %x = dynbatch.lookup %E[%w] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
    %mean, %c, %n = func.call @ponder(%x, %s1) : (tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, f32, i32)
    %y = linalg.matvec ins(%W, %mean : tensor<5x256xf32>, tensor<256xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
    %steps2 = arith.addi %steps1, %n : i32
    dynbatch.yield %mean, %steps2, %y, %c : tensor<256xf32>, i32, tensor<5xf32>, f32
  }
  return %ys, %costs, %steps : !dynbatch.seq<tensor<5xf32>>, !dynbatch.seq<f32>, i32
}
