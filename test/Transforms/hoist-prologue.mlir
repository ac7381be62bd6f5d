// RUN: dynbatch-opt %s --dynbatch-hoist-prologue --split-input-file --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-hoist-prologue --dynbatch-hoist-prologue --split-input-file | FileCheck %s

// A transposed parameter becomes a parameter of its own.

ml_program.global private @W(#ml_program.extern<tensor<8x4xf32>>) : tensor<8x4xf32>
ml_program.global private @b(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %W = ml_program.global_load_const @W : tensor<8x4xf32>
  %b = ml_program.global_load_const @b : tensor<4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%W : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %y = linalg.matvec ins(%t, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: module
// CHECK:         ml_program.global private @W(
// CHECK-NEXT:    ml_program.global private @b(
// CHECK-NEXT:    ml_program.global private @W_transpose(#{{.*}}) : tensor<4x8xf32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:.*]]: tensor<8xf32>)
// CHECK:         %[[T:.*]] = ml_program.global_load_const @W_transpose : tensor<4x8xf32>
// CHECK-NEXT:    linalg.matvec ins(%[[T]], %[[X]] :
// CHECK-LABEL: func.func private @prologue() attributes {dynbatch.prologue}
// CHECK:         %[[W:.*]] = ml_program.global_load_const @W : tensor<8x4xf32>
// CHECK-NEXT:    %[[D:.*]] = linalg.transpose ins(%[[W]] :
// CHECK-NEXT:    dynbatch.define @W_transpose = %[[D]] : tensor<4x8xf32>
// CHECK-NEXT:    return

// -----

// One part of an expression is used on its own, too: both are derived, the
// longer one from the shorter. A value that the function returns is loaded.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = arith.negf %W : tensor<4xf32>
  %1 = math.exp %0 : tensor<4xf32>
  %2 = arith.addf %0, %x : tensor<4xf32>
  %3 = arith.addf %1, %x : tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[N:.*]] = ml_program.global_load_const @W_negf
// CHECK-NEXT:    %[[E:.*]] = ml_program.global_load_const @W_exp
// CHECK-NEXT:    %[[A:.*]] = arith.addf %[[N]], %[[X]]
// CHECK-NEXT:    %[[B:.*]] = arith.addf %[[E]], %[[X]]
// CHECK-NEXT:    return %[[E]], %[[A]], %[[B]]
// CHECK-LABEL: func.func private @prologue
// CHECK-NEXT:    %[[W:.*]] = ml_program.global_load_const @W
// CHECK-NEXT:    %[[PN:.*]] = arith.negf %[[W]]
// CHECK-NEXT:    dynbatch.define @W_negf = %[[PN]]
// CHECK-NEXT:    %[[PE:.*]] = math.exp %[[PN]]
// CHECK-NEXT:    dynbatch.define @W_exp = %[[PE]]
// CHECK-NEXT:    return

// -----

// Equal expressions of functions and kernels are computed once; a derived
// parameter of an earlier run serves, too.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @W_negf(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func private @load() attributes {dynbatch.prologue} {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %n = arith.negf %W : tensor<4xf32>
  dynbatch.define @W_negf = %n : tensor<4xf32>
  return
}
dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %n = arith.negf %W : tensor<4xf32>
  %e = math.exp %n : tensor<4xf32>
  %r = arith.addf %e, %x : tensor<4xf32>
  dynbatch.return %r : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %n = arith.negf %W : tensor<4xf32>
  %e = math.exp %n : tensor<4xf32>
  %N = ml_program.global_load_const @W_negf : tensor<4xf32>
  %f = math.exp %N : tensor<4xf32>
  %0 = arith.addf %n, %x : tensor<4xf32>
  %1 = arith.addf %e, %x : tensor<4xf32>
  %2 = dynbatch.enqueue @k(%f) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: module
// CHECK-COUNT-3: ml_program.global
// CHECK-NOT:     ml_program.global {{.*}}@
// CHECK-LABEL: func.func private @load
// CHECK-NEXT:    %[[W:.*]] = ml_program.global_load_const @W
// CHECK-NEXT:    %[[PN:.*]] = arith.negf %[[W]]
// CHECK-NEXT:    dynbatch.define @W_negf = %[[PN]]
// CHECK-NEXT:    %[[PE:.*]] = math.exp %[[PN]]
// CHECK-NEXT:    dynbatch.define @W_exp = %[[PE]]
// CHECK-NEXT:    return
// CHECK-LABEL: dynbatch.kernel private @k(
// CHECK-SAME:      %[[KX:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[KE:.*]] = ml_program.global_load_const @W_exp
// CHECK-NEXT:    arith.addf %[[KE]], %[[KX]]
// CHECK-LABEL: func.func @main
// CHECK-NOT:     arith.negf
// CHECK-NOT:     math.exp
// CHECK:         return

// -----

// Through calls, branches and loops: what arrives is the definition, wherever
// that is. An op of two results gives two derived parameters.

#id = affine_map<(d0) -> (d0)>
ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @V(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func private @pass(%w: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = math.exp %w : tensor<4xf32>
  %1 = scf.if %c -> tensor<4xf32> {
    %2 = func.call @pass(%w, %c) : (tensor<4xf32>, i1) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %V = ml_program.global_load_const @V : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %two:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%W, %V : tensor<4xf32>, tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%w: f32, %v: f32, %o: f32, %p: f32):
    %s = arith.addf %w, %v : f32
    %d = arith.subf %w, %v : f32
    linalg.yield %s, %d : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %0 = call @pass(%two#0, %c) : (tensor<4xf32>, i1) -> tensor<4xf32>
  %1 = arith.negf %0 : tensor<4xf32>
  %2 = arith.addf %1, %x : tensor<4xf32>
  %3 = arith.addf %two#1, %x : tensor<4xf32>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func private @pass
// CHECK-NEXT:    %[[P:.*]] = ml_program.global_load_const @W_exp
// CHECK:         scf.yield %[[P]]
// CHECK-LABEL: func.func @main
// CHECK-DAG:     %[[G0:.*]] = ml_program.global_load_const @W_generic :
// CHECK-DAG:     %[[G1:.*]] = ml_program.global_load_const @W_generic_0
// CHECK:         call @pass(%[[G0]],
// CHECK:         %[[N:.*]] = ml_program.global_load_const @W_negf
// CHECK:         arith.addf %[[N]],
// CHECK:         arith.addf %[[G1]],
// CHECK-LABEL: func.func private @prologue
// CHECK:         %[[TWO:.*]]:2 = linalg.generic
// CHECK:         %[[E:.*]] = math.exp %[[TWO]]#0
// CHECK-NEXT:    dynbatch.define @W_exp = %[[E]]
// CHECK-NEXT:    dynbatch.define @W_generic = %[[TWO]]#0
// CHECK-NEXT:    dynbatch.define @W_generic_0 = %[[TWO]]#1
// CHECK-NEXT:    %[[NEG:.*]] = arith.negf %[[E]]
// CHECK-NEXT:    dynbatch.define @W_negf = %[[NEG]]
// CHECK-NEXT:    return

// -----

// Regions may capture: the captured constant goes along. What captures a
// varying value stays, with what its body uses.

#id = affine_map<(d0) -> (d0)>
ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%W : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %two : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %n = arith.negf %t : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %s = tensor.extract %n[%i] : tensor<4xf32>
    %a = arith.addf %in, %s : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK:         %[[N:.*]] = ml_program.global_load_const @W_negf
// CHECK-NEXT:    linalg.generic
// CHECK:           tensor.extract %[[N]]
// CHECK-LABEL: func.func private @prologue
// CHECK:         %[[TWO:.*]] = arith.constant 2.0
// CHECK:         %[[G:.*]] = linalg.generic
// CHECK:           arith.mulf %{{.*}}, %[[TWO]]
// CHECK:         %[[PN:.*]] = arith.negf %[[G]]
// CHECK-NEXT:    dynbatch.define @W_negf = %[[PN]]
// CHECK-NEXT:    return

// -----

// Stays: constants alone, varying values, what could fail (the program perhaps
// never runs it), what is not a tensor, what is not used.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @T(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @N(#ml_program.extern<tensor<4xi32>>) : tensor<4xi32>
func.func @main(%x: tensor<4xf32>, %c: i1, %i: index) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %c7 = arith.constant 7 : index
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %T = ml_program.global_load_const @T : tensor<4x4xf32>
  %N = ml_program.global_load_const @N : tensor<4xi32>
  %constant = math.exp %one : tensor<4xf32>
  %dead = math.exp %W : tensor<4xf32>
  %row = dynbatch.lookup %T[%c7] : tensor<4x4xf32>, index -> tensor<4xf32>
  %n = arith.negf %row : tensor<4xf32>
  %s = dynbatch.read %W[%c7] : tensor<4xf32>
  %splat = tensor.splat %s : tensor<4xf32>
  %quotient = arith.divsi %N, %zero : tensor<4xi32>
  return %constant, %n, %splat, %quotient : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @main
// CHECK-NOT:   dynbatch.prologue

// -----

// A parameter with a value in the program is one, too. Names never clash.

ml_program.global private @W(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func private @W_exp() {
  return
}
func.func private @prologue() {
  return
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = math.exp %W : tensor<4xf32>
  %1 = arith.addf %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK:       ml_program.global private @W_exp_1(#{{.*}}) : tensor<4xf32>
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    ml_program.global_load_const @W_exp_1
// CHECK-LABEL: func.func private @prologue_0() attributes {dynbatch.prologue}
// CHECK:         dynbatch.define @W_exp_1

// -----

// Nothing to do: no prologue.

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NOT:   dynbatch.prologue
