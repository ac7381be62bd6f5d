// Binary constituency TreeLSTM (Tai, Socher, Manning 2015), five-class
// sentiment at the root. Gates are stacked: i, o, u at a leaf and
// i, f_left, f_right, o, u at an inner node.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @leaf_W(#ml_program.extern<tensor<768x256xf32>>) : tensor<768x256xf32>
ml_program.global private @leaf_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @node_W_left(#ml_program.extern<tensor<1280x256xf32>>) : tensor<1280x256xf32>
ml_program.global private @node_W_right(#ml_program.extern<tensor<1280x256xf32>>) : tensor<1280x256xf32>
ml_program.global private @node_b(#ml_program.extern<tensor<1280xf32>>) : tensor<1280xf32>
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

func.func private @leaf(%word: i32) -> (tensor<256xf32>, tensor<256xf32>) {
  %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
  %W = ml_program.global_load_const @leaf_W : tensor<768x256xf32>
  %b = ml_program.global_load_const @leaf_b : tensor<768xf32>
  %x = dynbatch.lookup %E[%word] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
  %z = linalg.matvec ins(%W, %x : tensor<768x256xf32>, tensor<256xf32>) outs(%b : tensor<768xf32>) -> tensor<768xf32>
  %zi = tensor.extract_slice %z[0] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %zo = tensor.extract_slice %z[256] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %zu = tensor.extract_slice %z[512] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %i = call @sigmoid(%zi) : (tensor<256xf32>) -> tensor<256xf32>
  %o = call @sigmoid(%zo) : (tensor<256xf32>) -> tensor<256xf32>
  %u = math.tanh %zu : tensor<256xf32>
  %c = arith.mulf %i, %u : tensor<256xf32>
  %tc = math.tanh %c : tensor<256xf32>
  %h = arith.mulf %o, %tc : tensor<256xf32>
  return %h, %c : tensor<256xf32>, tensor<256xf32>
}

func.func private @node(%hl: tensor<256xf32>, %cl: tensor<256xf32>, %hr: tensor<256xf32>, %cr: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %Wl = ml_program.global_load_const @node_W_left : tensor<1280x256xf32>
  %Wr = ml_program.global_load_const @node_W_right : tensor<1280x256xf32>
  %b = ml_program.global_load_const @node_b : tensor<1280xf32>
  %z0 = linalg.matvec ins(%Wl, %hl : tensor<1280x256xf32>, tensor<256xf32>) outs(%b : tensor<1280xf32>) -> tensor<1280xf32>
  %z = linalg.matvec ins(%Wr, %hr : tensor<1280x256xf32>, tensor<256xf32>) outs(%z0 : tensor<1280xf32>) -> tensor<1280xf32>
  %zi = tensor.extract_slice %z[0] [256] [1] : tensor<1280xf32> to tensor<256xf32>
  %zl = tensor.extract_slice %z[256] [256] [1] : tensor<1280xf32> to tensor<256xf32>
  %zr = tensor.extract_slice %z[512] [256] [1] : tensor<1280xf32> to tensor<256xf32>
  %zo = tensor.extract_slice %z[768] [256] [1] : tensor<1280xf32> to tensor<256xf32>
  %zu = tensor.extract_slice %z[1024] [256] [1] : tensor<1280xf32> to tensor<256xf32>
  %i = call @sigmoid(%zi) : (tensor<256xf32>) -> tensor<256xf32>
  %fl = call @sigmoid(%zl) : (tensor<256xf32>) -> tensor<256xf32>
  %fr = call @sigmoid(%zr) : (tensor<256xf32>) -> tensor<256xf32>
  %o = call @sigmoid(%zo) : (tensor<256xf32>) -> tensor<256xf32>
  %u = math.tanh %zu : tensor<256xf32>
  %iu = arith.mulf %i, %u : tensor<256xf32>
  %lc = arith.mulf %fl, %cl : tensor<256xf32>
  %rc = arith.mulf %fr, %cr : tensor<256xf32>
  %s = arith.addf %iu, %lc : tensor<256xf32>
  %c = arith.addf %s, %rc : tensor<256xf32>
  %tc = math.tanh %c : tensor<256xf32>
  %h = arith.mulf %o, %tc : tensor<256xf32>
  return %h, %c : tensor<256xf32>, tensor<256xf32>
}

func.func private @encode(%tree: !dynbatch.adt<@Tree>) -> (tensor<256xf32>, tensor<256xf32>) {
  %h, %c = dynbatch.match %tree : !dynbatch.adt<@Tree> -> (tensor<256xf32>, tensor<256xf32>)
    case @Leaf(%word: i32) {
      %h0, %c0 = func.call @leaf(%word) : (i32) -> (tensor<256xf32>, tensor<256xf32>)
      dynbatch.yield %h0, %c0 : tensor<256xf32>, tensor<256xf32>
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %hl, %cl = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, tensor<256xf32>)
      %hr, %cr = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, tensor<256xf32>)
      %h0, %c0 = func.call @node(%hl, %cl, %hr, %cr) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
      dynbatch.yield %h0, %c0 : tensor<256xf32>, tensor<256xf32>
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
