// RUN: dynbatch-opt %s --test-dynbatch-sharing --split-input-file --verify-diagnostics -o /dev/null

ml_program.global private @W(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @V(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>

// What depends on parameters and constants alone is shared, a private
// function's argument is what all its callers pass.
// expected-remark @below {{region #0: parameter @W, varying}}
func.func private @same(%W: tensor<4x4xf32>, %either: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {tag} {
  // expected-remark @below {{results: parameter-only}}
  %0 = arith.negf %W {tag} : tensor<4x4xf32>
  // expected-remark @below {{results: varying}}
  %1 = arith.addf %0, %either {tag} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// expected-remark @below {{region #0: varying}}
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {dynbatch.entry, tag} {
  // expected-remark @below {{results: parameter @W}}
  %W = "ml_program.global_load_const"() <{global = @W}> {tag} : () -> tensor<4x4xf32>
  %V = ml_program.global_load_const @V : tensor<4x4xf32>
  // expected-remark @below {{results: parameter-only}}
  %c = arith.constant {tag} dense<1.0> : tensor<4x4xf32>
  // expected-remark @below {{results: parameter-only}}
  %e = tensor.empty() {tag} : tensor<4x4xf32>
  // expected-remark @below {{results: varying}}
  %0 = arith.addf %W, %x {tag} : tensor<4x4xf32>
  // expected-remark @below {{results: parameter-only}}
  %1 = func.call @same(%W, %W) {tag} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = func.call @same(%W, %V) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Anyone may call a public function; calls of an external one return anything.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-remark @below {{region #0: varying}}
func.func @public(%W: tensor<4xf32>) attributes {tag} {
  return
}
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @main() -> tensor<4xf32> attributes {dynbatch.entry} {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  call @public(%W) : (tensor<4xf32>) -> ()
  // expected-remark @below {{results: varying}}
  %0 = call @external(%W) {tag} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A function that is never called, or only by itself, is not analysed: nothing
// is known about its values. The same holds for a function used as a value.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-remark @below {{region #0: varying}}
func.func private @uncalled(%x: tensor<4xf32>) attributes {tag} {
  // expected-remark @below {{results: varying}}
  %W = "ml_program.global_load_const"() <{global = @W}> {tag} : () -> tensor<4xf32>
  call @uncalled(%W) : (tensor<4xf32>) -> ()
  return
}
// expected-remark @below {{region #0: varying}}
func.func private @indirect(%x: tensor<4xf32>) attributes {tag} {
  return
}
func.func @main() {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %f = constant @indirect : (tensor<4xf32>) -> ()
  call @indirect(%W) : (tensor<4xf32>) -> ()
  call_indirect %f(%W) : (tensor<4xf32>) -> ()
  return
}

// -----

// Mutual recursion: a parameter that is handed on is still the parameter; one
// that is exchanged for another is not.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @V(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-remark @below {{region #0: varying, parameter @W, varying}}
func.func private @even(%n: i32, %w: tensor<4xf32>, %v: tensor<4xf32>) attributes {tag} {
  %m = arith.subi %n, %n : i32
  func.call @odd(%m, %w, %v) : (i32, tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
// expected-remark @below {{region #0: varying, parameter @W, varying}}
func.func private @odd(%n: i32, %w: tensor<4xf32>, %v: tensor<4xf32>) attributes {tag} {
  func.call @even(%n, %w, %w) : (i32, tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
func.func @main(%n: i32) {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %V = ml_program.global_load_const @V : tensor<4xf32>
  call @even(%n, %W, %V) : (i32, tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

// Joins of control flow.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @V(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%c: i1, %n: index, %x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %V = ml_program.global_load_const @V : tensor<4xf32>
  // Two loads of one parameter, two parameters, two equal expressions.
  // expected-remark @below {{results: parameter @W, varying, varying}}
  %if:3 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %W2 = ml_program.global_load_const @W : tensor<4xf32>
    %e = arith.negf %W : tensor<4xf32>
    scf.yield %W2, %V, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } else {
    %e = arith.negf %W : tensor<4xf32>
    scf.yield %W, %W, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } {tag}
  // expected-remark @below {{results: varying}}
  %select = arith.select %c, %W, %V {tag} : tensor<4xf32>
  // Kept, exchanged, and computed anew in each iteration.
  // expected-remark @below {{results: parameter @W, varying, varying}}
  // expected-remark @below {{region #0: varying, parameter @W, varying, varying}}
  %for:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %W, %b = %V, %d = %V) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    // expected-remark @below {{results: parameter-only}}
    %e = arith.negf %a {tag} : tensor<4xf32>
    // expected-remark @below {{results: varying}}
    %f = arith.negf %d {tag} : tensor<4xf32>
    scf.yield %a, %a, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } {tag}
  // expected-remark @below {{results: parameter @W, varying}}
  // expected-remark @below {{region #0: parameter @W, varying}}
  // expected-remark @below {{region #1: parameter @W, varying}}
  %while:2 = scf.while (%a = %W, %b = %W) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.condition(%c) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    scf.yield %a, %x : tensor<4xf32>, tensor<4xf32>
  } attributes {tag}
  return
}

// -----

// Data structures: what comes out of them may have come from an instance.

dynbatch.adt @Box {
  dynbatch.ctor @Box(tensor<4xf32>)
}
ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%xs: !dynbatch.seq<tensor<4xf32>>) {
  %c0 = arith.constant 0 : index
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %b = dynbatch.construct @Box(%W) : (tensor<4xf32>) -> !dynbatch.adt<@Box>
  // expected-remark @below {{region #0: varying}}
  dynbatch.match %b : !dynbatch.adt<@Box> attributes {tag}
    case @Box(%field: tensor<4xf32>) {
    }
  %ws = dynbatch.make_seq %W : !dynbatch.seq<tensor<4xf32>>
  // expected-remark @below {{results: parameter-only}}
  %w = dynbatch.get %ws[%c0] {tag} : !dynbatch.seq<tensor<4xf32>>
  // expected-remark @below {{results: varying}}
  // expected-remark @below {{region #0: varying, varying}}
  %m = dynbatch.map (%x = %xs : !dynbatch.seq<tensor<4xf32>>, %v = %ws : !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<tensor<4xf32>> attributes {tag} {
    dynbatch.yield %W : tensor<4xf32>
  }
  // expected-remark @below {{results: parameter @W, varying, varying}}
  // expected-remark @below {{region #0: varying, parameter @W, varying}}
  %s:3 = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%a = %W : tensor<4xf32>, %h = %W : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> attributes {tag} {
    dynbatch.yield %a, %x, %a : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

// A region's captured values count as operands.

#id = affine_map<(d0) -> (d0)>
ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @table(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %T = ml_program.global_load_const @table : tensor<4xf32>
  %scale = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  // expected-remark @below {{results: parameter-only}}
  // expected-remark @below {{region #0: varying, varying}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%W : tensor<4xf32>) outs(%e : tensor<4xf32>) attrs = {tag} {
  ^bb0(%in: f32, %out: f32):
    // expected-remark @below {{results: varying}}
    %i = linalg.index 0 {tag} : index
    %t = tensor.extract %T[%i] : tensor<4xf32>
    %s = arith.mulf %in, %scale : f32
    %r = arith.addf %s, %t : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  // expected-remark @below {{results: varying}}
  // expected-remark @below {{region #0: varying, varying}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%W : tensor<4xf32>) outs(%e : tensor<4xf32>) attrs = {tag} {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %t = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return
}

// -----

// Kernels and tasks: rows differ from task to task, and a task belongs to the
// instance that makes it.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-remark @below {{region #0: varying}}
dynbatch.kernel private @k(%s: f32) -> tensor<4xf32> attributes {tag} {
  // expected-remark @below {{results: parameter @W}}
  %W = "ml_program.global_load_const"() <{global = @W}> {tag} : () -> tensor<4xf32>
  // expected-remark @below {{results: parameter-only}}
  %n = arith.negf %W {tag} : tensor<4xf32>
  dynbatch.return %n : tensor<4xf32>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %W = ml_program.global_load_const @W : tensor<4xf32>
  // expected-remark @below {{results: parameter-only}}
  %s = dynbatch.read %W[%c0] {tag} : tensor<4xf32>
  // expected-remark @below {{results: varying}}
  %0 = dynbatch.enqueue @k(%s) {tag} : (f32) -> tensor<4xf32>
  return
}

// -----

// Unreachable code, and values that flow through branches of a function's
// control-flow graph.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  cf.cond_br %c, ^bb1(%W, %W : tensor<4xf32>, tensor<4xf32>), ^bb2
^bb1(%a: tensor<4xf32>, %b: tensor<4xf32>):
  // expected-remark @below {{results: parameter-only}}
  %0 = arith.negf %a {tag} : tensor<4xf32>
  // expected-remark @below {{results: varying}}
  %1 = arith.negf %b {tag} : tensor<4xf32>
  return %0 : tensor<4xf32>
^bb2:
  cf.br ^bb1(%W, %x : tensor<4xf32>, tensor<4xf32>)
^bb3:
  // expected-remark @below {{results: varying}}
  %2 = arith.negf %W {tag} : tensor<4xf32>
  return %2 : tensor<4xf32>
}
