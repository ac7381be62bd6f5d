// RUN: dynbatch-opt %s --test-dynbatch-recurrence --split-input-file --verify-diagnostics -o /dev/null

// Instance data is ready. A task's result is its kernel's, and so is a view.

dynbatch.kernel private @k(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  dynbatch.return %x : tensor<2x4xf32>
}
ml_program.global private @W(#ml_program.extern<tensor<2x4xf32>>) : tensor<2x4xf32>
// expected-remark @below {{region #0: {}, {}}}
func.func @main(%x: tensor<2x4xf32>, %n: index) attributes {tag} {
  // expected-remark @below {{results: {}}}
  %W = "ml_program.global_load_const"() <{global = @W}> {tag} : () -> tensor<2x4xf32>
  // expected-remark @below {{results: {@k}}}
  %0 = dynbatch.enqueue @k(%x) {tag} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @below {{results: {@k}}}
  %1 = dynbatch.lookup %0[%n] {tag} : tensor<2x4xf32>, index -> tensor<4xf32>
  // A forced read waits: no task is pending then.
  // expected-remark @below {{results: {}}}
  %2 = dynbatch.read %1[%n] {tag} : tensor<4xf32>
  // expected-remark @below {{results: {}}}
  %3 = tensor.splat %2 {tag} : tensor<4xf32>
  return
}

// -----

// Calls, also of public functions and of the entry itself, which get instance
// data from outside, too.

dynbatch.kernel private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @external(tensor<4xf32>, index) -> (tensor<4xf32>, index)
// expected-remark @below {{region #0: {@f}}}
func.func private @private(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tag} {
  %0 = dynbatch.enqueue @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expected-remark @below {{region #0: {@g}}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry, tag} {
  %0 = dynbatch.enqueue @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{results: {@g}}}
  %1 = call @private(%0) {tag} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{results: {@f, @g}}}
  %2 = call @main(%1) {tag} : (tensor<4xf32>) -> tensor<4xf32>
  %c = arith.constant 0 : index
  // expected-remark @below {{results: any, {}}}
  %3, %n = call @external(%x, %c) {tag} : (tensor<4xf32>, index) -> (tensor<4xf32>, index)
  %4 = dynbatch.enqueue @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %true = arith.cmpi eq, %n, %c : index
  cf.cond_br %true, ^bb1(%4 : tensor<4xf32>), ^bb1(%1 : tensor<4xf32>)
^bb1(%5: tensor<4xf32>):
  return %5 : tensor<4xf32>
}

// -----

// Where calls cannot be followed, any kernel may have made a tensor.

dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
// expected-remark @below {{region #0: any}}
func.func private @indirect(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tag} {
  return %x : tensor<4xf32>
}
// Never called: its values do not exist.
// expected-remark @below {{region #0: {}}}
func.func private @uncalled(%x: tensor<4xf32>) -> tensor<4xf32> attributes {tag} {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = constant @indirect : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{results: any}}
  %0 = call_indirect %f(%x) {tag} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{results: {@k}}}
  %1 = dynbatch.enqueue @k(%0) {tag} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Fields of an ADT are apart from one another, constructors too. They hold what
// any construct stored, wherever that is.

dynbatch.kernel private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(tensor<4xf32>)
  dynbatch.ctor @Node(!dynbatch.seq<tensor<4xf32>>, tensor<4xf32>, !dynbatch.adt<@Tree>)
}
func.func private @use(%t: !dynbatch.adt<@Tree>) {
  // expected-remark @below {{region #0: {@f, @g}}}
  // expected-remark @below {{region #1: {@f}, {}, {}}}
  dynbatch.match %t : !dynbatch.adt<@Tree> attributes {tag}
    case @Leaf(%x: tensor<4xf32>) {
    }
    case @Node(%xs: !dynbatch.seq<tensor<4xf32>>, %x: tensor<4xf32>, %n: !dynbatch.adt<@Tree>) {
    }
  return
}
func.func private @make(%x: tensor<4xf32>) -> !dynbatch.adt<@Tree> {
  %0 = dynbatch.enqueue @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %t = dynbatch.construct @Leaf(%0) : (tensor<4xf32>) -> !dynbatch.adt<@Tree>
  return %t : !dynbatch.adt<@Tree>
}
func.func @main(%x: tensor<4xf32>) {
  %0 = dynbatch.enqueue @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %leaf = dynbatch.construct @Leaf(%0) : (tensor<4xf32>) -> !dynbatch.adt<@Tree>
  // expected-remark @below {{results: {@f}}}
  %s = dynbatch.make_seq %x, %0 {tag} : !dynbatch.seq<tensor<4xf32>>
  // expected-remark @below {{results: {}}}
  %node = dynbatch.construct @Node(%s, %x, %leaf) {tag} : (!dynbatch.seq<tensor<4xf32>>, tensor<4xf32>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
  call @use(%node) : (!dynbatch.adt<@Tree>) -> ()
  %other = call @make(%x) : (tensor<4xf32>) -> !dynbatch.adt<@Tree>
  return
}

// -----

// Sequences hold what their elements' kernels made: map, scan, and sequences of
// sequences.

dynbatch.kernel private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>, %n: index) {
  // expected-remark @below {{results: {@f}, {}}}
  // expected-remark @below {{region #0: {}}}
  %fs, %same = dynbatch.map (%x = %xs : !dynbatch.seq<tensor<4xf32>>) -> (!dynbatch.seq<tensor<4xf32>>, !dynbatch.seq<tensor<4xf32>>) attributes {tag} {
    %0 = dynbatch.enqueue @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0, %x : tensor<4xf32>, tensor<4xf32>
  }
  // expected-remark @below {{results: {@f}}}
  %f0 = dynbatch.get %fs[%n] {tag} : !dynbatch.seq<tensor<4xf32>>
  // expected-remark @below {{results: {}}}
  %length = dynbatch.length %fs {tag} : !dynbatch.seq<tensor<4xf32>>
  // An empty sequence gives the initial state.
  // expected-remark @below {{results: {@g}, {@f}, {@g}, {@f}}}
  // expected-remark @below {{region #0: {@f}, {@g}, {@f}}}
  %last, %prev, %gs, %prevs = dynbatch.scan reverse (%x = %fs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>, %p = %h0 : tensor<4xf32>) -> (!dynbatch.seq<tensor<4xf32>>, !dynbatch.seq<tensor<4xf32>>) attributes {tag} {
    %0 = dynbatch.enqueue @g(%h) : (tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0, %x, %0, %p : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  // expected-remark @below {{results: {@f}}}
  // expected-remark @below {{region #0: {@f}}}
  %copies = dynbatch.scan (%x = %fs : !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<tensor<4xf32>> attributes {tag} {
    dynbatch.yield %x : tensor<4xf32>
  }
  // expected-remark @below {{results: {@f, @g}}}
  %nested = dynbatch.make_seq %fs, %gs {tag} : !dynbatch.seq<!dynbatch.seq<tensor<4xf32>>>
  // expected-remark @below {{results: {}}}
  // expected-remark @below {{region #0: {@f, @g}}}
  %lengths = dynbatch.map (%s = %nested : !dynbatch.seq<!dynbatch.seq<tensor<4xf32>>>) -> !dynbatch.seq<index> attributes {tag} {
    %l = dynbatch.length %s : !dynbatch.seq<tensor<4xf32>>
    dynbatch.yield %l : index
  }
  return
}

// -----

// Loops and branches.

dynbatch.kernel private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%c: i1, %n: index, %x: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = dynbatch.enqueue @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{results: {@f, @g}}}
  // expected-remark @below {{region #0: {}, {@f, @g}}}
  %for = scf.for %i = %c0 to %n step %c1 iter_args(%h = %f) -> (tensor<4xf32>) {
    %0 = dynbatch.enqueue @g(%h) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } {tag}
  // expected-remark @below {{results: {@g}}}
  // expected-remark @below {{region #0: {@g}}}
  // expected-remark @below {{region #1: {@g}}}
  %while = scf.while (%h = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%c) %h : tensor<4xf32>
  } do {
  ^bb0(%h: tensor<4xf32>):
    %0 = dynbatch.enqueue @g(%h) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } attributes {tag}
  // expected-remark @below {{results: {@f, @g}}}
  %if = scf.if %c -> tensor<4xf32> {
    scf.yield %f : tensor<4xf32>
  } else {
    %0 = dynbatch.enqueue @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } {tag}
  // expected-remark @below {{results: {@f}}}
  %select = arith.select %c, %f, %x {tag} : tensor<4xf32>
  return
}
