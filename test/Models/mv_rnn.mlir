// Matrix-vector recursive network (Socher, Huval, Manning, Ng 2012), five-class
// sentiment at the root. Each word and each node has a vector and a matrix; a
// node's vector is tanh(W [B a; A b] + b), its matrix W_M [A; B].
//
// Knob H: small 64, large 128. Size of the vectors and matrices.
// Knob V: 1000. Words.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

ml_program.global private @vectors(#ml_program.extern<tensor<1000x64xf32>>) : tensor<1000x64xf32>
ml_program.global private @matrices(#ml_program.extern<tensor<1000x64x64xf32>>) : tensor<1000x64x64xf32>
ml_program.global private @W(#ml_program.extern<tensor<64x128xf32>>) : tensor<64x128xf32>
ml_program.global private @b(#ml_program.extern<tensor<64xf32>>) : tensor<64xf32>
ml_program.global private @W_M(#ml_program.extern<tensor<64x128xf32>>) : tensor<64x128xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<5x64xf32>>) : tensor<5x64xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<5xf32>>) : tensor<5xf32>

func.func private @node(%a: tensor<64xf32>, %A: tensor<64x64xf32>, %b: tensor<64xf32>, %B: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %W = ml_program.global_load_const @W : tensor<64x128xf32>
  %bias = ml_program.global_load_const @b : tensor<64xf32>
  %W_M = ml_program.global_load_const @W_M : tensor<64x128xf32>
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%zero : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %1 = tensor.empty() : tensor<64x64xf32>
  %M0 = linalg.fill ins(%zero : f32) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>

  %Ba = linalg.matvec ins(%B, %a : tensor<64x64xf32>, tensor<64xf32>) outs(%v0 : tensor<64xf32>) -> tensor<64xf32>
  %Ab = linalg.matvec ins(%A, %b : tensor<64x64xf32>, tensor<64xf32>) outs(%v0 : tensor<64xf32>) -> tensor<64xf32>
  %v = tensor.concat dim(0) %Ba, %Ab : (tensor<64xf32>, tensor<64xf32>) -> tensor<128xf32>
  %z = linalg.matvec ins(%W, %v : tensor<64x128xf32>, tensor<128xf32>) outs(%bias : tensor<64xf32>) -> tensor<64xf32>
  %p = math.tanh %z : tensor<64xf32>

  %AB = tensor.concat dim(0) %A, %B : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %P = linalg.matmul ins(%W_M, %AB : tensor<64x128xf32>, tensor<128x64xf32>) outs(%M0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %P : tensor<64xf32>, tensor<64x64xf32>
}

func.func private @encode(%tree: !dynbatch.adt<@Tree>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %p, %P = dynbatch.match %tree : !dynbatch.adt<@Tree> -> (tensor<64xf32>, tensor<64x64xf32>)
    case @Leaf(%word: i32) {
      %vectors = ml_program.global_load_const @vectors : tensor<1000x64xf32>
      %matrices = ml_program.global_load_const @matrices : tensor<1000x64x64xf32>
      %a = dynbatch.lookup %vectors[%word] : tensor<1000x64xf32>, i32 -> tensor<64xf32>
      %A = dynbatch.lookup %matrices[%word] : tensor<1000x64x64xf32>, i32 -> tensor<64x64xf32>
      dynbatch.yield %a, %A : tensor<64xf32>, tensor<64x64xf32>
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %a, %A = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> (tensor<64xf32>, tensor<64x64xf32>)
      %b, %B = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> (tensor<64xf32>, tensor<64x64xf32>)
      %c, %C = func.call @node(%a, %A, %b, %B) : (tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>)
      dynbatch.yield %c, %C : tensor<64xf32>, tensor<64x64xf32>
    }
  return %p, %P : tensor<64xf32>, tensor<64x64xf32>
}

func.func @main(%tree: !dynbatch.adt<@Tree>) -> tensor<5xf32> attributes {dynbatch.entry} {
  %p, %P = call @encode(%tree) : (!dynbatch.adt<@Tree>) -> (tensor<64xf32>, tensor<64x64xf32>)
  %W = ml_program.global_load_const @out_W : tensor<5x64xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %y = linalg.matvec ins(%W, %p : tensor<5x64xf32>, tensor<64xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}
