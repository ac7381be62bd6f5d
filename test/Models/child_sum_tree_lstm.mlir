// Child-sum TreeLSTM (Tai, Socher, Manning 2015) over dependency trees: a word
// has any number of children. Five-class sentiment at the root. Gates are
// stacked: i, o, u; each child has a forget gate of its own.
//
// Knob H: small 256, large 512. Word vectors and states.
// Knob V: 20000. Words.

dynbatch.adt @Tree {
  dynbatch.ctor @Node(i32, !dynbatch.seq<!dynbatch.adt<@Tree>>)
}

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @W(#ml_program.extern<tensor<768x256xf32>>) : tensor<768x256xf32>
ml_program.global private @U(#ml_program.extern<tensor<768x256xf32>>) : tensor<768x256xf32>
ml_program.global private @b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @forget_W(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @forget_U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @forget_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
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

func.func private @encode(%tree: !dynbatch.adt<@Tree>) -> (tensor<256xf32>, tensor<256xf32>) {
  %h, %c = dynbatch.match %tree : !dynbatch.adt<@Tree> -> (tensor<256xf32>, tensor<256xf32>)
    case @Node(%word: i32, %children: !dynbatch.seq<!dynbatch.adt<@Tree>>) {
      %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
      %W = ml_program.global_load_const @W : tensor<768x256xf32>
      %U = ml_program.global_load_const @U : tensor<768x256xf32>
      %b = ml_program.global_load_const @b : tensor<768xf32>
      %W_f = ml_program.global_load_const @forget_W : tensor<256x256xf32>
      %U_f = ml_program.global_load_const @forget_U : tensor<256x256xf32>
      %b_f = ml_program.global_load_const @forget_b : tensor<256xf32>
      %zero = arith.constant dense<0.0> : tensor<256xf32>
      %x = dynbatch.lookup %E[%word] : tensor<20000x256xf32>, i32 -> tensor<256xf32>

      %hs, %cs = dynbatch.map (%child = %children : !dynbatch.seq<!dynbatch.adt<@Tree>>) -> (!dynbatch.seq<tensor<256xf32>>, !dynbatch.seq<tensor<256xf32>>) {
        %h_k, %c_k = func.call @encode(%child) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, tensor<256xf32>)
        dynbatch.yield %h_k, %c_k : tensor<256xf32>, tensor<256xf32>
      }

      // What is kept of the children's cells, and the sum of their states.
      %zf0 = linalg.matvec ins(%W_f, %x : tensor<256x256xf32>, tensor<256xf32>) outs(%b_f : tensor<256xf32>) -> tensor<256xf32>
      %kept = dynbatch.map (%h_k = %hs : !dynbatch.seq<tensor<256xf32>>, %c_k = %cs : !dynbatch.seq<tensor<256xf32>>) -> !dynbatch.seq<tensor<256xf32>> {
        %zf = linalg.matvec ins(%U_f, %h_k : tensor<256x256xf32>, tensor<256xf32>) outs(%zf0 : tensor<256xf32>) -> tensor<256xf32>
        %f = func.call @sigmoid(%zf) : (tensor<256xf32>) -> tensor<256xf32>
        %fc = arith.mulf %f, %c_k : tensor<256xf32>
        dynbatch.yield %fc : tensor<256xf32>
      }
      %h_sum, %c_sum = dynbatch.scan (%h_k = %hs : !dynbatch.seq<tensor<256xf32>>, %fc = %kept : !dynbatch.seq<tensor<256xf32>>)
          carry(%s = %zero : tensor<256xf32>, %t = %zero : tensor<256xf32>) {
        %s1 = arith.addf %s, %h_k : tensor<256xf32>
        %t1 = arith.addf %t, %fc : tensor<256xf32>
        dynbatch.yield %s1, %t1 : tensor<256xf32>, tensor<256xf32>
      }

      %z0 = linalg.matvec ins(%W, %x : tensor<768x256xf32>, tensor<256xf32>) outs(%b : tensor<768xf32>) -> tensor<768xf32>
      %z = linalg.matvec ins(%U, %h_sum : tensor<768x256xf32>, tensor<256xf32>) outs(%z0 : tensor<768xf32>) -> tensor<768xf32>
      %zi = tensor.extract_slice %z[0] [256] [1] : tensor<768xf32> to tensor<256xf32>
      %zo = tensor.extract_slice %z[256] [256] [1] : tensor<768xf32> to tensor<256xf32>
      %zu = tensor.extract_slice %z[512] [256] [1] : tensor<768xf32> to tensor<256xf32>
      %i = func.call @sigmoid(%zi) : (tensor<256xf32>) -> tensor<256xf32>
      %o = func.call @sigmoid(%zo) : (tensor<256xf32>) -> tensor<256xf32>
      %u = math.tanh %zu : tensor<256xf32>
      %iu = arith.mulf %i, %u : tensor<256xf32>
      %c1 = arith.addf %iu, %c_sum : tensor<256xf32>
      %tc = math.tanh %c1 : tensor<256xf32>
      %h1 = arith.mulf %o, %tc : tensor<256xf32>
      dynbatch.yield %h1, %c1 : tensor<256xf32>, tensor<256xf32>
    }
  return %h, %c : tensor<256xf32>, tensor<256xf32>
}

func.func @main(%tree: !dynbatch.adt<@Tree>) -> tensor<5xf32> attributes {dynbatch.entry} {
  %h, %c = call @encode(%tree) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, tensor<256xf32>)
  %W = ml_program.global_load_const @out_W : tensor<5x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %y = linalg.matvec ins(%W, %h : tensor<5x256xf32>, tensor<256xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}
