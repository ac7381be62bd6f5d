// Lattice LSTM (Zhang, Yang 2018): an LSTM over characters in which words of a
// lexicon make short cuts. A character's cell has an edge from each word that
// ends there, weighted against its own input; so the number of incoming edges
// varies. Four scores a character (begin, inside, end, single). Gates are
// stacked: i, o, u for characters, and i, f, u for words.
//
// Knob H: small 256, large 512. Vectors of characters and words, and states.
// Knob V: 20000. Characters, and words.

// A word that ends at the character, and how many characters it has (two or
// more).
dynbatch.adt @Word {
  dynbatch.ctor @Word(i32, i32)
}
dynbatch.adt @Character {
  dynbatch.ctor @Character(i32, !dynbatch.seq<!dynbatch.adt<@Word>>)
}
// The states so far, the last one first.
dynbatch.adt @Past {
  dynbatch.ctor @Start()
  dynbatch.ctor @Then(tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Past>)
}

ml_program.global private @characters(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @words(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @character_W(#ml_program.extern<tensor<768x512xf32>>) : tensor<768x512xf32>
ml_program.global private @character_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @word_W(#ml_program.extern<tensor<768x512xf32>>) : tensor<768x512xf32>
ml_program.global private @word_b(#ml_program.extern<tensor<768xf32>>) : tensor<768xf32>
ml_program.global private @edge_W(#ml_program.extern<tensor<256x512xf32>>) : tensor<256x512xf32>
ml_program.global private @edge_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<4x256xf32>>) : tensor<4x256xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>

func.func private @sigmoid(%x: tensor<256xf32>) -> tensor<256xf32> {
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %n = arith.negf %x : tensor<256xf32>
  %e = math.exp %n : tensor<256xf32>
  %d = arith.addf %e, %one : tensor<256xf32>
  %s = arith.divf %one, %d : tensor<256xf32>
  return %s : tensor<256xf32>
}

// The state before the last %n ones; the first one where there are too few.
func.func private @state_before(%past: !dynbatch.adt<@Past>, %n: i32) -> (tensor<256xf32>, tensor<256xf32>) {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %h, %c = dynbatch.match %past : !dynbatch.adt<@Past> -> (tensor<256xf32>, tensor<256xf32>)
    case @Start() {
      dynbatch.yield %zero, %zero : tensor<256xf32>, tensor<256xf32>
    }
    case @Then(%h0: tensor<256xf32>, %c0: tensor<256xf32>, %before: !dynbatch.adt<@Past>) {
      %here = arith.cmpi sle, %n, %0 : i32
      %h1, %c1 = scf.if %here -> (tensor<256xf32>, tensor<256xf32>) {
        scf.yield %h0, %c0 : tensor<256xf32>, tensor<256xf32>
      } else {
        %m = arith.subi %n, %1 : i32
        %h2, %c2 = func.call @state_before(%before, %m) : (!dynbatch.adt<@Past>, i32) -> (tensor<256xf32>, tensor<256xf32>)
        scf.yield %h2, %c2 : tensor<256xf32>, tensor<256xf32>
      }
      dynbatch.yield %h1, %c1 : tensor<256xf32>, tensor<256xf32>
    }
  return %h, %c : tensor<256xf32>, tensor<256xf32>
}

// The cell of a word, from the state of its first character.
func.func private @word_cell(%word: i32, %h: tensor<256xf32>, %c: tensor<256xf32>) -> tensor<256xf32> {
  %E = ml_program.global_load_const @words : tensor<20000x256xf32>
  %W = ml_program.global_load_const @word_W : tensor<768x512xf32>
  %b = ml_program.global_load_const @word_b : tensor<768xf32>
  %x = dynbatch.lookup %E[%word] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
  %xh = tensor.concat dim(0) %x, %h : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
  %z = linalg.matvec ins(%W, %xh : tensor<768x512xf32>, tensor<512xf32>) outs(%b : tensor<768xf32>) -> tensor<768xf32>
  %zi = tensor.extract_slice %z[0] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %zf = tensor.extract_slice %z[256] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %zu = tensor.extract_slice %z[512] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %i = call @sigmoid(%zi) : (tensor<256xf32>) -> tensor<256xf32>
  %f = call @sigmoid(%zf) : (tensor<256xf32>) -> tensor<256xf32>
  %u = math.tanh %zu : tensor<256xf32>
  %fc = arith.mulf %f, %c : tensor<256xf32>
  %iu = arith.mulf %i, %u : tensor<256xf32>
  %c1 = arith.addf %fc, %iu : tensor<256xf32>
  return %c1 : tensor<256xf32>
}

// The exponential of the gate between a word's cell and the character.
func.func private @edge(%x: tensor<256xf32>, %cell: tensor<256xf32>) -> tensor<256xf32> {
  %W = ml_program.global_load_const @edge_W : tensor<256x512xf32>
  %b = ml_program.global_load_const @edge_b : tensor<256xf32>
  %xc = tensor.concat dim(0) %x, %cell : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
  %z = linalg.matvec ins(%W, %xc : tensor<256x512xf32>, tensor<512xf32>) outs(%b : tensor<256xf32>) -> tensor<256xf32>
  %i = call @sigmoid(%z) : (tensor<256xf32>) -> tensor<256xf32>
  %e = math.exp %i : tensor<256xf32>
  return %e : tensor<256xf32>
}

func.func private @step(%x: tensor<256xf32>, %words: !dynbatch.seq<!dynbatch.adt<@Word>>, %past: !dynbatch.adt<@Past>) -> (tensor<256xf32>, tensor<256xf32>) {
  %W = ml_program.global_load_const @character_W : tensor<768x512xf32>
  %b = ml_program.global_load_const @character_b : tensor<768xf32>
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : i32
  %h, %c = call @state_before(%past, %none) : (!dynbatch.adt<@Past>, i32) -> (tensor<256xf32>, tensor<256xf32>)
  %xh = tensor.concat dim(0) %x, %h : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
  %z = linalg.matvec ins(%W, %xh : tensor<768x512xf32>, tensor<512xf32>) outs(%b : tensor<768xf32>) -> tensor<768xf32>
  %zi = tensor.extract_slice %z[0] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %zo = tensor.extract_slice %z[256] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %zu = tensor.extract_slice %z[512] [256] [1] : tensor<768xf32> to tensor<256xf32>
  %i = call @sigmoid(%zi) : (tensor<256xf32>) -> tensor<256xf32>
  %o = call @sigmoid(%zo) : (tensor<256xf32>) -> tensor<256xf32>
  %u = math.tanh %zu : tensor<256xf32>

  %n = dynbatch.length %words : !dynbatch.seq<!dynbatch.adt<@Word>>
  %no_word = arith.cmpi eq, %n, %c0 : index
  %c1 = scf.if %no_word -> tensor<256xf32> {
    // An LSTM with coupled gates: the forget gate is 1 - i.
    %f = arith.subf %one, %i : tensor<256xf32>
    %fc = arith.mulf %f, %c : tensor<256xf32>
    %iu = arith.mulf %i, %u : tensor<256xf32>
    %s = arith.addf %fc, %iu : tensor<256xf32>
    scf.yield %s : tensor<256xf32>
  } else {
    // The mean of the words' cells and of the character's, weighted by their
    // exponentials.
    %e = math.exp %i : tensor<256xf32>
    %eu = arith.mulf %e, %u : tensor<256xf32>
    %sum, %weight = dynbatch.scan (%word = %words : !dynbatch.seq<!dynbatch.adt<@Word>>) carry(%s0 = %eu : tensor<256xf32>, %w0 = %e : tensor<256xf32>) {
      %cell = dynbatch.match %word : !dynbatch.adt<@Word> -> tensor<256xf32>
        case @Word(%id: i32, %length: i32) {
          // Its last character is not yet in the past.
          %back = arith.subi %length, %c2 : i32
          %hw, %cw = func.call @state_before(%past, %back) : (!dynbatch.adt<@Past>, i32) -> (tensor<256xf32>, tensor<256xf32>)
          %cell0 = func.call @word_cell(%id, %hw, %cw) : (i32, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
          dynbatch.yield %cell0 : tensor<256xf32>
        }
      %w = func.call @edge(%x, %cell) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
      %wc = arith.mulf %w, %cell : tensor<256xf32>
      %s1 = arith.addf %s0, %wc : tensor<256xf32>
      %w1 = arith.addf %w0, %w : tensor<256xf32>
      dynbatch.yield %s1, %w1 : tensor<256xf32>, tensor<256xf32>
    }
    %s = arith.divf %sum, %weight : tensor<256xf32>
    scf.yield %s : tensor<256xf32>
  }
  %tc = math.tanh %c1 : tensor<256xf32>
  %h1 = arith.mulf %o, %tc : tensor<256xf32>
  return %h1, %c1 : tensor<256xf32>, tensor<256xf32>
}

func.func @main(%sentence: !dynbatch.seq<!dynbatch.adt<@Character>>) -> !dynbatch.seq<tensor<4xf32>> attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @characters : tensor<20000x256xf32>
  %W = ml_program.global_load_const @out_W : tensor<4x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<4xf32>
  %start = dynbatch.construct @Start() : () -> !dynbatch.adt<@Past>
  %past, %ys = dynbatch.scan (%character = %sentence : !dynbatch.seq<!dynbatch.adt<@Character>>) carry(%past0 = %start : !dynbatch.adt<@Past>) -> !dynbatch.seq<tensor<4xf32>> {
    %h, %c = dynbatch.match %character : !dynbatch.adt<@Character> -> (tensor<256xf32>, tensor<256xf32>)
      case @Character(%id: i32, %words: !dynbatch.seq<!dynbatch.adt<@Word>>) {
        %x = dynbatch.lookup %E[%id] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
        %h0, %c0 = func.call @step(%x, %words, %past0) : (tensor<256xf32>, !dynbatch.seq<!dynbatch.adt<@Word>>, !dynbatch.adt<@Past>) -> (tensor<256xf32>, tensor<256xf32>)
        dynbatch.yield %h0, %c0 : tensor<256xf32>, tensor<256xf32>
      }
    %past1 = dynbatch.construct @Then(%h, %c, %past0) : (tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Past>) -> !dynbatch.adt<@Past>
    %y = linalg.matvec ins(%W, %h : tensor<4x256xf32>, tensor<256xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %past1, %y : !dynbatch.adt<@Past>, tensor<4xf32>
  }
  return %ys : !dynbatch.seq<tensor<4xf32>>
}
