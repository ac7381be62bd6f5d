// Doubly recurrent network (Alvarez-Melis, Jaakkola 2017): generates a tree from
// the top. A node's state comes from its parent's (ancestral) and from its left
// sibling's (fraternal); the node's prediction says whether it has children and
// whether it has a sibling to its right, which is drawn with those
// probabilities, and what its label is. Trees have at most six levels and nodes
// at most four children. The root's parent is a network over words.
// Inputs: the seed of the draws, and the words. Result: the tree, its nodes
// with the label, the scores of all labels, the first child and the sibling.
//
// Knob H: small 256, large 512. Vectors of words and labels, and states.
// Knob V: 20000. Words.

dynbatch.adt @Forest {
  dynbatch.ctor @End()
  dynbatch.ctor @Node(i32, tensor<16xf32>, !dynbatch.adt<@Forest>, !dynbatch.adt<@Forest>)
}

ml_program.global private @embedding(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @encoder_W(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @encoder_U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @encoder_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
// Labels, and what stands for the label of a missing parent or sibling.
ml_program.global private @labels(#ml_program.extern<tensor<16x256xf32>>) : tensor<16x256xf32>
ml_program.global private @start(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @ancestral_W(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @ancestral_U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @ancestral_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @fraternal_W(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @fraternal_U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @fraternal_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @prediction_U_ancestral(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @prediction_U_fraternal(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
// Rows: has children, has a sibling to the right.
ml_program.global private @topology_W(#ml_program.extern<tensor<2x256xf32>>) : tensor<2x256xf32>
ml_program.global private @label_W(#ml_program.extern<tensor<16x256xf32>>) : tensor<16x256xf32>
ml_program.global private @label_v_ancestral(#ml_program.extern<tensor<16xf32>>) : tensor<16xf32>
ml_program.global private @label_v_fraternal(#ml_program.extern<tensor<16xf32>>) : tensor<16xf32>

func.func private @rnn(%W: tensor<256x256xf32>, %U: tensor<256x256xf32>, %b: tensor<256xf32>, %x: tensor<256xf32>, %h: tensor<256xf32>) -> tensor<256xf32> {
  %z0 = linalg.matvec ins(%W, %x : tensor<256x256xf32>, tensor<256xf32>) outs(%b : tensor<256xf32>) -> tensor<256xf32>
  %z = linalg.matvec ins(%U, %h : tensor<256x256xf32>, tensor<256xf32>) outs(%z0 : tensor<256xf32>) -> tensor<256xf32>
  %h1 = math.tanh %z : tensor<256xf32>
  return %h1 : tensor<256xf32>
}

// Number %n of the random numbers from 0 to 1 of a seed (SplitMix64).
func.func private @draw(%seed: i64, %n: i64) -> f32 {
  %golden = arith.constant 0x9E3779B97F4A7C15 : i64
  %a = arith.constant 0xBF58476D1CE4E5B9 : i64
  %b = arith.constant 0x94D049BB133111EB : i64
  %c27 = arith.constant 27 : i64
  %c30 = arith.constant 30 : i64
  %c31 = arith.constant 31 : i64
  %c40 = arith.constant 40 : i64
  %scale = arith.constant 5.9604644775390625e-8 : f32
  %s = arith.muli %seed, %a : i64
  %ng = arith.muli %n, %golden : i64
  %z0 = arith.addi %s, %ng : i64
  %r0 = arith.shrui %z0, %c30 : i64
  %x0 = arith.xori %z0, %r0 : i64
  %z1 = arith.muli %x0, %a : i64
  %r1 = arith.shrui %z1, %c27 : i64
  %x1 = arith.xori %z1, %r1 : i64
  %z2 = arith.muli %x1, %b : i64
  %r2 = arith.shrui %z2, %c31 : i64
  %x2 = arith.xori %z2, %r2 : i64
  %bits = arith.shrui %x2, %c40 : i64
  %f = arith.uitofp %bits : i64 to f32
  %u = arith.mulf %f, %scale : f32
  return %u : f32
}

// Position of the largest element, the first of several.
func.func private @argmax(%z: tensor<16xf32>) -> tensor<i32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<f32>
  %1 = tensor.empty() : tensor<i32>
  %max0 = linalg.fill ins(%lowest : f32) outs(%0 : tensor<f32>) -> tensor<f32>
  %at0 = linalg.fill ins(%zero : i32) outs(%1 : tensor<i32>) -> tensor<i32>
  %max, %at = linalg.generic {
      indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>, affine_map<(k) -> ()>],
      iterator_types = ["reduction"]}
      ins(%z : tensor<16xf32>) outs(%max0, %at0 : tensor<f32>, tensor<i32>) {
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

// The node at %position, its children and its siblings to the right. Children
// of the node at p have the positions 2 p and, for a sibling on, 2 p + 1.
func.func private @generate(%seed: i64, %position: i64, %level: i32, %place: i32,
                            %h_parent: tensor<256xf32>, %x_parent: tensor<256xf32>,
                            %h_sibling: tensor<256xf32>, %x_sibling: tensor<256xf32>) -> !dynbatch.adt<@Forest> {
  %W_a = ml_program.global_load_const @ancestral_W : tensor<256x256xf32>
  %U_a = ml_program.global_load_const @ancestral_U : tensor<256x256xf32>
  %b_a = ml_program.global_load_const @ancestral_b : tensor<256xf32>
  %W_f = ml_program.global_load_const @fraternal_W : tensor<256x256xf32>
  %U_f = ml_program.global_load_const @fraternal_U : tensor<256x256xf32>
  %b_f = ml_program.global_load_const @fraternal_b : tensor<256xf32>
  %U_pa = ml_program.global_load_const @prediction_U_ancestral : tensor<256x256xf32>
  %U_pf = ml_program.global_load_const @prediction_U_fraternal : tensor<256x256xf32>
  %W_t = ml_program.global_load_const @topology_W : tensor<2x256xf32>
  %W_o = ml_program.global_load_const @label_W : tensor<16x256xf32>
  %v_a = ml_program.global_load_const @label_v_ancestral : tensor<16xf32>
  %v_f = ml_program.global_load_const @label_v_fraternal : tensor<16xf32>
  %labels = ml_program.global_load_const @labels : tensor<16x256xf32>
  %start = ml_program.global_load_const @start : tensor<256xf32>
  %zeros = arith.constant dense<0.0> : tensor<256xf32>
  %zeros2 = arith.constant dense<0.0> : tensor<2xf32>
  %zeros16 = arith.constant dense<0.0> : tensor<16xf32>
  %ones2 = arith.constant dense<1.0> : tensor<2xf32>
  %no = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %last_level = arith.constant 5 : i32
  %last_place = arith.constant 3 : i32

  %h_a = call @rnn(%W_a, %U_a, %b_a, %x_parent, %h_parent) : (tensor<256x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %h_f = call @rnn(%W_f, %U_f, %b_f, %x_sibling, %h_sibling) : (tensor<256x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %z0 = linalg.matvec ins(%U_pf, %h_f : tensor<256x256xf32>, tensor<256xf32>) outs(%zeros : tensor<256xf32>) -> tensor<256xf32>
  %z = linalg.matvec ins(%U_pa, %h_a : tensor<256x256xf32>, tensor<256xf32>) outs(%z0 : tensor<256xf32>) -> tensor<256xf32>
  %prediction = math.tanh %z : tensor<256xf32>
  %zt = linalg.matvec ins(%W_t, %prediction : tensor<2x256xf32>, tensor<256xf32>) outs(%zeros2 : tensor<2xf32>) -> tensor<2xf32>
  %nt = arith.negf %zt : tensor<2xf32>
  %et = math.exp %nt : tensor<2xf32>
  %dt = arith.addf %et, %ones2 : tensor<2xf32>
  %p = arith.divf %ones2, %dt : tensor<2xf32>

  %first = arith.shli %position, %one : i64
  %next = arith.addi %first, %one : i64
  %may_deepen = arith.cmpi slt, %level, %last_level : i32
  %deepens = scf.if %may_deepen -> i1 {
    %q = tensor.extract %p[%c0] : tensor<2xf32>
    %u = func.call @draw(%seed, %first) : (i64, i64) -> f32
    %yes = arith.cmpf ogt, %q, %u : f32
    scf.yield %yes : i1
  } else {
    scf.yield %no : i1
  }
  %may_widen = arith.cmpi slt, %place, %last_place : i32
  %widens = scf.if %may_widen -> i1 {
    %q = tensor.extract %p[%c1] : tensor<2xf32>
    %u = func.call @draw(%seed, %next) : (i64, i64) -> f32
    %yes = arith.cmpf ogt, %q, %u : f32
    scf.yield %yes : i1
  } else {
    scf.yield %no : i1
  }

  %o0 = linalg.matvec ins(%W_o, %prediction : tensor<16x256xf32>, tensor<256xf32>) outs(%zeros16 : tensor<16xf32>) -> tensor<16xf32>
  %alpha = arith.uitofp %deepens : i1 to f32
  %alphas = tensor.splat %alpha : tensor<16xf32>
  %av = arith.mulf %alphas, %v_a : tensor<16xf32>
  %phi = arith.uitofp %widens : i1 to f32
  %phis = tensor.splat %phi : tensor<16xf32>
  %fv = arith.mulf %phis, %v_f : tensor<16xf32>
  %o1 = arith.addf %o0, %av : tensor<16xf32>
  %o = arith.addf %o1, %fv : tensor<16xf32>
  %best = call @argmax(%o) : (tensor<16xf32>) -> tensor<i32>
  %label = tensor.extract %best[] : tensor<i32>
  %x = dynbatch.lookup %labels[%label] : tensor<16x256xf32>, i32 -> tensor<256xf32>

  %children = scf.if %deepens -> !dynbatch.adt<@Forest> {
    %below = arith.addi %level, %1 : i32
    %f = func.call @generate(%seed, %first, %below, %0, %h_a, %x, %zeros, %start) : (i64, i64, i32, i32, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> !dynbatch.adt<@Forest>
    scf.yield %f : !dynbatch.adt<@Forest>
  } else {
    %f = dynbatch.construct @End() : () -> !dynbatch.adt<@Forest>
    scf.yield %f : !dynbatch.adt<@Forest>
  }
  %siblings = scf.if %widens -> !dynbatch.adt<@Forest> {
    %right = arith.addi %place, %1 : i32
    %f = func.call @generate(%seed, %next, %level, %right, %h_parent, %x_parent, %h_f, %x) : (i64, i64, i32, i32, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> !dynbatch.adt<@Forest>
    scf.yield %f : !dynbatch.adt<@Forest>
  } else {
    %f = dynbatch.construct @End() : () -> !dynbatch.adt<@Forest>
    scf.yield %f : !dynbatch.adt<@Forest>
  }
  %node = dynbatch.construct @Node(%label, %o, %children, %siblings) : (i32, tensor<16xf32>, !dynbatch.adt<@Forest>, !dynbatch.adt<@Forest>) -> !dynbatch.adt<@Forest>
  return %node : !dynbatch.adt<@Forest>
}

func.func @main(%seed: i64, %words: !dynbatch.seq<i32>) -> !dynbatch.adt<@Forest> attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @embedding : tensor<20000x256xf32>
  %W = ml_program.global_load_const @encoder_W : tensor<256x256xf32>
  %U = ml_program.global_load_const @encoder_U : tensor<256x256xf32>
  %b = ml_program.global_load_const @encoder_b : tensor<256xf32>
  %start = ml_program.global_load_const @start : tensor<256xf32>
  %zeros = arith.constant dense<0.0> : tensor<256xf32>
  %0 = arith.constant 0 : i32
  %last_place = arith.constant 3 : i32
  %one = arith.constant 1 : i64
  %h = dynbatch.scan (%w = %words : !dynbatch.seq<i32>) carry(%h0 = %zeros : tensor<256xf32>) {
    %x = dynbatch.lookup %E[%w] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
    %h1 = func.call @rnn(%W, %U, %b, %x, %h0) : (tensor<256x256xf32>, tensor<256x256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
    dynbatch.yield %h1 : tensor<256xf32>
  }
  // The root has no sibling.
  %tree = call @generate(%seed, %one, %0, %last_place, %h, %start, %zeros, %start) : (i64, i64, i32, i32, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> !dynbatch.adt<@Forest>
  return %tree : !dynbatch.adt<@Forest>
}
