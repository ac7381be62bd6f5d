// Nested recurrent networks (the NestedRNN of Fegade et al. 2024): a GRU (Cho
// et al. 2014) over nodes, each step of which first runs an inner network. How
// many steps that makes, from one to eight, its own state decides. Results:
// five scores, and the number of inner steps. Gates of the GRU are stacked:
// reset, update, candidate.
//
// Knob H: small 256, large 512. Vectors of nodes and states.
// Knob V: 20000. Kinds of nodes.

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @inner_W(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @inner_U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @inner_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @stop_W(#ml_program.extern<tensor<1x256xf32>>) : tensor<1x256xf32>
ml_program.global private @stop_b(#ml_program.extern<tensor<1xf32>>) : tensor<1xf32>
ml_program.global private @gru_W(#ml_program.extern<tensor<768x256xf32>>) : tensor<768x256xf32>
ml_program.global private @gru_U(#ml_program.extern<tensor<512x256xf32>>) : tensor<512x256xf32>
ml_program.global private @gru_U_candidate(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @gru_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<5x256xf32>>) : tensor<5x256xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<5xf32>>) : tensor<5xf32>

func.func private @sigmoid(%x: tensor<256xf32>) -> tensor<256xf32> {
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %n = arith.negf %x : tensor<256xf32>
  %e = math.exp %n : tensor<256xf32>
  %d = arith.addf %e, %one : tensor<256xf32>
  %s = arith.divf %one, %d : tensor<256xf32>
  return %s : tensor<256xf32>
}

// Runs from state %h on until a linear function of the state is positive.
func.func private @inner(%x: tensor<256xf32>, %h: tensor<256xf32>) -> (tensor<256xf32>, i32) {
  %W = ml_program.global_load_const @inner_W : tensor<256x256xf32>
  %U = ml_program.global_load_const @inner_U : tensor<256x256xf32>
  %b = ml_program.global_load_const @inner_b : tensor<256xf32>
  %W_s = ml_program.global_load_const @stop_W : tensor<1x256xf32>
  %b_s = ml_program.global_load_const @stop_b : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 8 : i32
  %0 = arith.constant 0.0 : f32
  %z0 = linalg.matvec ins(%W, %x : tensor<256x256xf32>, tensor<256xf32>) outs(%b : tensor<256xf32>) -> tensor<256xf32>
  %s, %steps = scf.while (%s0 = %h, %n0 = %zero) : (tensor<256xf32>, i32) -> (tensor<256xf32>, i32) {
    %z = linalg.matvec ins(%U, %s0 : tensor<256x256xf32>, tensor<256xf32>) outs(%z0 : tensor<256xf32>) -> tensor<256xf32>
    %s1 = math.tanh %z : tensor<256xf32>
    %n1 = arith.addi %n0, %one : i32
    %zs = linalg.matvec ins(%W_s, %s1 : tensor<1x256xf32>, tensor<256xf32>) outs(%b_s : tensor<1xf32>) -> tensor<1xf32>
    %may = arith.cmpi slt, %n1, %most : i32
    %more = scf.if %may -> i1 {
      %stop = tensor.extract %zs[%c0] : tensor<1xf32>
      %go = arith.cmpf ole, %stop, %0 : f32
      scf.yield %go : i1
    } else {
      scf.yield %may : i1
    }
    scf.condition(%more) %s1, %n1 : tensor<256xf32>, i32
  } do {
  ^bb0(%s1: tensor<256xf32>, %n1: i32):
    scf.yield %s1, %n1 : tensor<256xf32>, i32
  }
  return %s, %steps : tensor<256xf32>, i32
}

func.func private @gru(%x: tensor<256xf32>, %h: tensor<256xf32>) -> tensor<256xf32> {
  %W = ml_program.global_load_const @gru_W : tensor<768x256xf32>
  %U = ml_program.global_load_const @gru_U : tensor<512x256xf32>
  %U_n = ml_program.global_load_const @gru_U_candidate : tensor<256x256xf32>
  %b = ml_program.global_load_const @gru_b : tensor<768xf32>
  %zx = linalg.matvec ins(%W, %x : tensor<768x256xf32>, tensor<256xf32>) outs(%b : tensor<768xf32>) -> tensor<768xf32>
  %zx_gates = tensor.extract_slice %zx[0] [512] [1] : tensor<768xf32> to tensor<512xf32>
  %zx_n = tensor.extract_slice %zx[512] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %z_gates = linalg.matvec ins(%U, %h : tensor<512x256xf32>, tensor<256xf32>) outs(%zx_gates : tensor<512xf32>) -> tensor<512xf32>
  %zr = tensor.extract_slice %z_gates[0] [256] [1] : tensor<512xf32> to tensor<256xf32>
  %zu = tensor.extract_slice %z_gates[256] [256] [1] : tensor<512xf32> to tensor<256xf32>
  %r = call @sigmoid(%zr) : (tensor<256xf32>) -> tensor<256xf32>
  %u = call @sigmoid(%zu) : (tensor<256xf32>) -> tensor<256xf32>
  %rh = arith.mulf %r, %h : tensor<256xf32>
  %zn = linalg.matvec ins(%U_n, %rh : tensor<256x256xf32>, tensor<256xf32>) outs(%zx_n : tensor<256xf32>) -> tensor<256xf32>
  %n = math.tanh %zn : tensor<256xf32>
  // The update gate says how much of the old state stays.
  %change = arith.subf %h, %n : tensor<256xf32>
  %kept = arith.mulf %u, %change : tensor<256xf32>
  %h1 = arith.addf %n, %kept : tensor<256xf32>
  return %h1 : tensor<256xf32>
}

func.func @main(%nodes: !dynbatch.seq<i32>) -> (tensor<5xf32>, i32) attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
  %W = ml_program.global_load_const @out_W : tensor<5x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %h0 = arith.constant dense<0.0> : tensor<256xf32>
  %steps0 = arith.constant 0 : i32
  %h, %steps = dynbatch.scan (%node = %nodes : !dynbatch.seq<i32>) carry(%h1 = %h0 : tensor<256xf32>, %steps1 = %steps0 : i32) {
    %x = dynbatch.lookup %E[%node] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
    %s, %n = func.call @inner(%x, %h1) : (tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, i32)
    %h2 = func.call @gru(%s, %h1) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    %steps2 = arith.addi %steps1, %n : i32
    dynbatch.yield %h2, %steps2 : tensor<256xf32>, i32
  }
  %y = linalg.matvec ins(%W, %h : tensor<5x256xf32>, tensor<256xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %y, %steps : tensor<5xf32>, i32
}
