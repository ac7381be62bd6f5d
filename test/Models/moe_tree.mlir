// Recursive network with a mixture of experts (Shazeer et al. 2017; one expert
// a node as in Fedus, Zoph, Shazeer 2021): each inner node of a binary tree
// picks the expert with the best score, of which only the picked one runs.
// Five-class sentiment at the root, and the root's expert (-1 for a leaf).
//
// Knob H: small 256, large 512. Word vectors and states.
// Knob V: 20000. Words.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @gate_W(#ml_program.extern<tensor<8x512xf32>>) : tensor<8x512xf32>
ml_program.global private @gate_b(#ml_program.extern<tensor<8xf32>>) : tensor<8xf32>
ml_program.global private @experts_W(#ml_program.extern<tensor<8x256x512xf32>>) : tensor<8x256x512xf32>
ml_program.global private @experts_b(#ml_program.extern<tensor<8x256xf32>>) : tensor<8x256xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<5x256xf32>>) : tensor<5x256xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<5xf32>>) : tensor<5xf32>

// Position of the largest element, the first of several.
func.func private @argmax(%z: tensor<8xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z0 = tensor.extract %z[%c0] : tensor<8xf32>
  %max, %at = scf.for %k = %c1 to %c8 step %c1 iter_args(%m = %z0, %a = %c0) -> (f32, index) {
    %x = tensor.extract %z[%k] : tensor<8xf32>
    %greater = arith.cmpf ogt, %x, %m : f32
    %m1 = arith.select %greater, %x, %m : f32
    %a1 = arith.select %greater, %k, %a : index
    scf.yield %m1, %a1 : f32, index
  }
  return %at : index
}

func.func private @encode(%tree: !dynbatch.adt<@Tree>) -> (tensor<256xf32>, i32) {
  %h, %expert = dynbatch.match %tree : !dynbatch.adt<@Tree> -> (tensor<256xf32>, i32)
    case @Leaf(%word: i32) {
      %none = arith.constant -1 : i32
      %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
      %x = dynbatch.lookup %E[%word] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
      dynbatch.yield %x, %none : tensor<256xf32>, i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %G = ml_program.global_load_const @gate_W : tensor<8x512xf32>
      %g = ml_program.global_load_const @gate_b : tensor<8xf32>
      %Ws = ml_program.global_load_const @experts_W : tensor<8x256x512xf32>
      %bs = ml_program.global_load_const @experts_b : tensor<8x256xf32>
      %a, %ea = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, i32)
      %b, %eb = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, i32)
      %x = tensor.concat dim(0) %a, %b : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
      %scores = linalg.matvec ins(%G, %x : tensor<8x512xf32>, tensor<512xf32>) outs(%g : tensor<8xf32>) -> tensor<8xf32>
      %k = func.call @argmax(%scores) : (tensor<8xf32>) -> index
      %W = dynbatch.lookup %Ws[%k] : tensor<8x256x512xf32>, index -> tensor<256x512xf32>
      %bias = dynbatch.lookup %bs[%k] : tensor<8x256xf32>, index -> tensor<256xf32>
      %z = linalg.matvec ins(%W, %x : tensor<256x512xf32>, tensor<512xf32>) outs(%bias : tensor<256xf32>) -> tensor<256xf32>
      %y = math.tanh %z : tensor<256xf32>
      %e = arith.index_cast %k : index to i32
      dynbatch.yield %y, %e : tensor<256xf32>, i32
    }
  return %h, %expert : tensor<256xf32>, i32
}

func.func @main(%tree: !dynbatch.adt<@Tree>) -> (tensor<5xf32>, i32) attributes {dynbatch.entry} {
  %h, %expert = call @encode(%tree) : (!dynbatch.adt<@Tree>) -> (tensor<256xf32>, i32)
  %W = ml_program.global_load_const @out_W : tensor<5x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %y = linalg.matvec ins(%W, %h : tensor<5x256xf32>, tensor<256xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %y, %expert : tensor<5xf32>, i32
}
