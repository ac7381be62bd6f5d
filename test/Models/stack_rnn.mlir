// Shift-reduce parser with stack LSTMs (Dyer et al. 2015). Until all words are
// one tree, the states of the stack and of the buffer say which action comes
// next: shift a word, or compose the two top trees, of which the right or the
// left one is the head. Results: five scores of the parse, and the tree, whose
// nodes hold the action (1: the right one is the head, 2: the left one).
// Gates are stacked: i, f, o, u.
//
// Knob H: small 256, large 512. Word vectors and states.
// Knob V: 20000. Words.

dynbatch.adt @Tree {
  dynbatch.ctor @None()
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(index, !dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}
// An entry: the stack LSTM's h and c up to here, and a tree with its vector.
dynbatch.adt @Stack {
  dynbatch.ctor @Empty()
  dynbatch.ctor @Push(tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>)
}

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @stack_W(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @stack_U(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @stack_b(#ml_program.extern<tensor<1024xf32>>) : tensor<1024xf32>
ml_program.global private @buffer_W(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @buffer_U(#ml_program.extern<tensor<1024x256xf32>>) : tensor<1024x256xf32>
ml_program.global private @buffer_b(#ml_program.extern<tensor<1024xf32>>) : tensor<1024xf32>
ml_program.global private @state_W(#ml_program.extern<tensor<256x512xf32>>) : tensor<256x512xf32>
ml_program.global private @state_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @action_W(#ml_program.extern<tensor<3x256xf32>>) : tensor<3x256xf32>
ml_program.global private @action_b(#ml_program.extern<tensor<3xf32>>) : tensor<3xf32>
ml_program.global private @compose_W(#ml_program.extern<tensor<256x512xf32>>) : tensor<256x512xf32>
ml_program.global private @relations(#ml_program.extern<tensor<3x256xf32>>) : tensor<3x256xf32>
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

func.func private @push(%stack: !dynbatch.adt<@Stack>, %v: tensor<256xf32>, %tree: !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Stack> {
  %W = ml_program.global_load_const @stack_W : tensor<1024x256xf32>
  %U = ml_program.global_load_const @stack_U : tensor<1024x256xf32>
  %b = ml_program.global_load_const @stack_b : tensor<1024xf32>
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %h, %c = dynbatch.match %stack : !dynbatch.adt<@Stack> -> (tensor<256xf32>, tensor<256xf32>)
    case @Empty() {
      dynbatch.yield %zero, %zero : tensor<256xf32>, tensor<256xf32>
    }
    case @Push(%ht: tensor<256xf32>, %ct: tensor<256xf32>, %vt: tensor<256xf32>, %t: !dynbatch.adt<@Tree>, %rest: !dynbatch.adt<@Stack>) {
      dynbatch.yield %ht, %ct : tensor<256xf32>, tensor<256xf32>
    }
  %h1, %c1 = call @lstm(%W, %U, %b, %v, %h, %c) : (tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
  %s = dynbatch.construct @Push(%h1, %c1, %v, %tree, %stack) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>) -> !dynbatch.adt<@Stack>
  return %s : !dynbatch.adt<@Stack>
}

// The top: state, vector and tree, and what is below.
func.func private @top(%stack: !dynbatch.adt<@Stack>) -> (tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>) {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %h, %v, %t, %below = dynbatch.match %stack : !dynbatch.adt<@Stack> -> (tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>)
    case @Empty() {
      %none = dynbatch.construct @None() : () -> !dynbatch.adt<@Tree>
      dynbatch.yield %zero, %zero, %none, %stack : tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>
    }
    case @Push(%ht: tensor<256xf32>, %ct: tensor<256xf32>, %vt: tensor<256xf32>, %tree: !dynbatch.adt<@Tree>, %rest: !dynbatch.adt<@Stack>) {
      dynbatch.yield %ht, %vt, %tree, %rest : tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>
    }
  return %h, %v, %t, %below : tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>
}

// The best of the actions that can be done; 0 is shift.
func.func private @choose(%stack: tensor<256xf32>, %buffer: tensor<256xf32>, %can_shift: i1, %can_reduce: i1) -> index {
  %W = ml_program.global_load_const @state_W : tensor<256x512xf32>
  %b = ml_program.global_load_const @state_b : tensor<256xf32>
  %W_a = ml_program.global_load_const @action_W : tensor<3x256xf32>
  %b_a = ml_program.global_load_const @action_b : tensor<3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %action = scf.if %can_reduce -> index {
    %both = tensor.concat dim(0) %stack, %buffer : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
    %z = linalg.matvec ins(%W, %both : tensor<256x512xf32>, tensor<512xf32>) outs(%b : tensor<256xf32>) -> tensor<256xf32>
    %p = math.tanh %z : tensor<256xf32>
    %scores = linalg.matvec ins(%W_a, %p : tensor<3x256xf32>, tensor<256xf32>) outs(%b_a : tensor<3xf32>) -> tensor<3xf32>
    %shift = tensor.extract %scores[%c0] : tensor<3xf32>
    %right = tensor.extract %scores[%c1] : tensor<3xf32>
    %left = tensor.extract %scores[%c2] : tensor<3xf32>
    %is_left = arith.cmpf ogt, %left, %right : f32
    %reduce = arith.select %is_left, %c2, %c1 : index
    %best = arith.select %is_left, %left, %right : f32
    %better = arith.cmpf oge, %shift, %best : f32
    %shifts = arith.andi %better, %can_shift : i1
    %a = arith.select %shifts, %c0, %reduce : index
    scf.yield %a : index
  } else {
    scf.yield %c0 : index
  }
  return %action : index
}

// The tree of two and its vector, from the head and from what depends on it.
func.func private @compose(%action: index, %vl: tensor<256xf32>, %l: !dynbatch.adt<@Tree>, %vr: tensor<256xf32>, %r: !dynbatch.adt<@Tree>) -> (tensor<256xf32>, !dynbatch.adt<@Tree>) {
  %W = ml_program.global_load_const @compose_W : tensor<256x512xf32>
  %R = ml_program.global_load_const @relations : tensor<3x256xf32>
  %c1 = arith.constant 1 : index
  %relation = dynbatch.lookup %R[%action] : tensor<3x256xf32>, index -> tensor<256xf32>
  %is_right = arith.cmpi eq, %action, %c1 : index
  %head, %dependent = scf.if %is_right -> (tensor<256xf32>, tensor<256xf32>) {
    scf.yield %vr, %vl : tensor<256xf32>, tensor<256xf32>
  } else {
    scf.yield %vl, %vr : tensor<256xf32>, tensor<256xf32>
  }
  %both = tensor.concat dim(0) %head, %dependent : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
  %z = linalg.matvec ins(%W, %both : tensor<256x512xf32>, tensor<512xf32>) outs(%relation : tensor<256xf32>) -> tensor<256xf32>
  %v = math.tanh %z : tensor<256xf32>
  %tree = dynbatch.construct @Node(%action, %l, %r) : (index, !dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
  return %v, %tree : tensor<256xf32>, !dynbatch.adt<@Tree>
}

func.func @main(%words: !dynbatch.seq<i32>) -> (tensor<5xf32>, !dynbatch.adt<@Tree>) attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
  %W_b = ml_program.global_load_const @buffer_W : tensor<1024x256xf32>
  %U_b = ml_program.global_load_const @buffer_U : tensor<1024x256xf32>
  %b_b = ml_program.global_load_const @buffer_b : tensor<1024xf32>
  %W = ml_program.global_load_const @out_W : tensor<5x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %n = dynbatch.length %words : !dynbatch.seq<i32>
  %xs = dynbatch.map (%w = %words : !dynbatch.seq<i32>) -> !dynbatch.seq<tensor<256xf32>> {
    %x = dynbatch.lookup %E[%w] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
    dynbatch.yield %x : tensor<256xf32>
  }
  // A state of the buffer stands for the words from its own on.
  %hb, %cb, %buffer = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<tensor<256xf32>>)
      carry(%h = %zero : tensor<256xf32>, %c = %zero : tensor<256xf32>) -> !dynbatch.seq<tensor<256xf32>> {
    %h1, %cc1 = func.call @lstm(%W_b, %U_b, %b_b, %x, %h, %c) : (tensor<1024x256xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>)
    dynbatch.yield %h1, %cc1, %h1 : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }

  %empty = dynbatch.construct @Empty() : () -> !dynbatch.adt<@Stack>
  %stack, %next, %height = scf.while (%s0 = %empty, %i0 = %c0, %k0 = %c0)
      : (!dynbatch.adt<@Stack>, index, index) -> (!dynbatch.adt<@Stack>, index, index) {
    %can_shift = arith.cmpi ult, %i0, %n : index
    %can_reduce = arith.cmpi uge, %k0, %c2 : index
    %more = arith.ori %can_shift, %can_reduce : i1
    scf.condition(%more) %s0, %i0, %k0 : !dynbatch.adt<@Stack>, index, index
  } do {
  ^bb0(%s0: !dynbatch.adt<@Stack>, %i0: index, %k0: index):
    %can_shift = arith.cmpi ult, %i0, %n : index
    %can_reduce = arith.cmpi uge, %k0, %c2 : index
    %ht, %vr, %r, %s1 = func.call @top(%s0) : (!dynbatch.adt<@Stack>) -> (tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>)
    %rest = scf.if %can_shift -> tensor<256xf32> {
      %h = dynbatch.get %buffer[%i0] : !dynbatch.seq<tensor<256xf32>>
      scf.yield %h : tensor<256xf32>
    } else {
      scf.yield %zero : tensor<256xf32>
    }
    %action = func.call @choose(%ht, %rest, %can_shift, %can_reduce) : (tensor<256xf32>, tensor<256xf32>, i1, i1) -> index
    %shifts = arith.cmpi eq, %action, %c0 : index
    %s2, %i1, %k1 = scf.if %shifts -> (!dynbatch.adt<@Stack>, index, index) {
      %w = dynbatch.get %words[%i0] : !dynbatch.seq<i32>
      %x = dynbatch.get %xs[%i0] : !dynbatch.seq<tensor<256xf32>>
      %leaf = dynbatch.construct @Leaf(%w) : (i32) -> !dynbatch.adt<@Tree>
      %s = func.call @push(%s0, %x, %leaf) : (!dynbatch.adt<@Stack>, tensor<256xf32>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Stack>
      %i = arith.addi %i0, %c1 : index
      %k = arith.addi %k0, %c1 : index
      scf.yield %s, %i, %k : !dynbatch.adt<@Stack>, index, index
    } else {
      %hl, %vl, %l, %below = func.call @top(%s1) : (!dynbatch.adt<@Stack>) -> (tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>)
      %v, %tree = func.call @compose(%action, %vl, %l, %vr, %r) : (index, tensor<256xf32>, !dynbatch.adt<@Tree>, tensor<256xf32>, !dynbatch.adt<@Tree>) -> (tensor<256xf32>, !dynbatch.adt<@Tree>)
      %s = func.call @push(%below, %v, %tree) : (!dynbatch.adt<@Stack>, tensor<256xf32>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Stack>
      %k = arith.subi %k0, %c1 : index
      scf.yield %s, %i0, %k : !dynbatch.adt<@Stack>, index, index
    }
    scf.yield %s2, %i1, %k1 : !dynbatch.adt<@Stack>, index, index
  }
  %h, %v, %tree, %nothing = call @top(%stack) : (!dynbatch.adt<@Stack>) -> (tensor<256xf32>, tensor<256xf32>, !dynbatch.adt<@Tree>, !dynbatch.adt<@Stack>)
  %y = linalg.matvec ins(%W, %h : tensor<5x256xf32>, tensor<256xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %y, %tree : tensor<5xf32>, !dynbatch.adt<@Tree>
}
