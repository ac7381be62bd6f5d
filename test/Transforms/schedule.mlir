// RUN: dynbatch-opt %s --dynbatch-schedule=align=false --split-input-file --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-schedule=align=false --dynbatch-schedule=align=false --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=TWICE

// A kernel on no cycle needs no depth. In a cyclic stage the depth is one more
// than the largest of the stage's own operands; an operand that comes twice
// counts once.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(tensor<4xf32>)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}
dynbatch.kernel private @node(%l: tensor<4xf32>, %r: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %l : tensor<4xf32>
}
dynbatch.kernel private @out(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @leaf(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @encode(%t: !dynbatch.adt<@Tree>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
    case @Leaf(%w: tensor<4xf32>) {
      %h = dynbatch.enqueue @leaf(%w) : (tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %h : tensor<4xf32>
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %hl = func.call @encode(%l, %x) : (!dynbatch.adt<@Tree>, tensor<4xf32>) -> tensor<4xf32>
      %hr = func.call @encode(%r, %x) : (!dynbatch.adt<@Tree>, tensor<4xf32>) -> tensor<4xf32>
      %h = dynbatch.enqueue @node(%hl, %hr, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %h2 = dynbatch.enqueue @node(%h, %h, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %h2 : tensor<4xf32>
    }
  return %0 : tensor<4xf32>
}
func.func @main(%t: !dynbatch.adt<@Tree>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %h = call @encode(%t, %x) : (!dynbatch.adt<@Tree>, tensor<4xf32>) -> tensor<4xf32>
  %y = dynbatch.enqueue @out(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @node
// CHECK-SAME:      attributes {cyclic, stage = 1 : i64}
// CHECK-LABEL: dynbatch.kernel private @out
// CHECK-SAME:      attributes {stage = 2 : i64}
// CHECK-LABEL: dynbatch.kernel private @leaf
// CHECK-SAME:      attributes {stage = 0 : i64}
// CHECK-LABEL: func.func private @encode
// CHECK:         dynbatch.enqueue @leaf(%{{.*}}) :
// CHECK:         %[[L:.*]] = func.call @encode
// CHECK-NEXT:    %[[R:.*]] = func.call @encode
// CHECK-NEXT:    %[[DL:.*]] = dynbatch.depth %[[L]] in 1
// CHECK-NEXT:    %[[DR:.*]] = dynbatch.depth %[[R]] in 1
// CHECK-NEXT:    %[[MAX:.*]] = arith.maxui %[[DL]], %[[DR]] : index
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[D:.*]] = arith.addi %[[MAX]], %[[ONE]] : index
// CHECK-NEXT:    %[[H:.*]] = dynbatch.enqueue @node(%[[L]], %[[R]], %{{.*}}) depth(%[[D]])
// CHECK-NEXT:    %[[DH:.*]] = dynbatch.depth %[[H]] in 1
// CHECK-NEXT:    %[[ONE2:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[D2:.*]] = arith.addi %[[DH]], %[[ONE2]] : index
// CHECK-NEXT:    dynbatch.enqueue @node(%[[H]], %[[H]], %{{.*}}) depth(%[[D2]])
// CHECK-LABEL: func.func @main
// CHECK:         dynbatch.enqueue @out(%{{.*}}) :

// The depth of a task made here is known.
// TWICE-LABEL: func.func private @encode
// TWICE-COUNT-2: dynbatch.depth
// TWICE-NOT:     dynbatch.depth
// TWICE-LABEL: func.func @main

// -----

// Two functions that call each other, each with a kernel of its own, and a
// start without an operand of the stage: one stage, depth 1.

dynbatch.kernel private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @even_step(%n: i32, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : i32
  %m = arith.subi %n, %c1 : i32
  %more = arith.cmpi sgt, %m, %c1 : i32
  %0 = dynbatch.enqueue @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = scf.if %more -> tensor<4xf32> {
    %2 = func.call @odd_step(%m, %0) : (i32, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
func.func private @odd_step(%n: i32, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.enqueue @odd(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @even_step(%n, %0) : (i32, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%n: i32, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @odd_step(%n, %0) : (i32, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @even
// CHECK-SAME:      attributes {cyclic, stage = 0 : i64}
// CHECK-LABEL: dynbatch.kernel private @odd
// CHECK-SAME:      attributes {cyclic, stage = 0 : i64}
// CHECK-LABEL: func.func private @even_step
// CHECK-SAME:      %{{.*}}: i32, %[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = dynbatch.depth %[[X]] in 0
// CHECK:         %[[D:.*]] = arith.addi %[[DX]],
// CHECK-NEXT:    dynbatch.enqueue @even(%[[X]]) depth(%[[D]])
// CHECK-LABEL: func.func private @odd_step
// CHECK:         dynbatch.depth
// CHECK:         dynbatch.enqueue @odd(%{{.*}}) depth
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    dynbatch.enqueue @even(%{{.*}}) depth(%[[ONE]])

// -----

// Two independent loops are two stages, in either order; what joins them comes
// behind both.

dynbatch.kernel private @join(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @forward(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %h : tensor<4xf32>
}
dynbatch.kernel private @backward(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %h : tensor<4xf32>
}
dynbatch.kernel private @embed(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%ws: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> attributes {dynbatch.entry} {
  %xs = dynbatch.map (%w = %ws : !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = dynbatch.enqueue @embed(%w) : (tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0 : tensor<4xf32>
  }
  %f, %fs = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = dynbatch.enqueue @forward(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  %b, %bs = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = dynbatch.enqueue @backward(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  %ys = dynbatch.map (%p = %fs : !dynbatch.seq<tensor<4xf32>>, %q = %bs : !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = dynbatch.enqueue @join(%p, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0 : tensor<4xf32>
  }
  return %ys : !dynbatch.seq<tensor<4xf32>>
}

// CHECK-LABEL: dynbatch.kernel private @join
// CHECK-SAME:      attributes {stage = 3 : i64}
// CHECK-LABEL: dynbatch.kernel private @forward
// CHECK-SAME:      attributes {cyclic, stage = 1 : i64}
// CHECK-LABEL: dynbatch.kernel private @backward
// CHECK-SAME:      attributes {cyclic, stage = 2 : i64}
// CHECK-LABEL: dynbatch.kernel private @embed
// CHECK-SAME:      attributes {stage = 0 : i64}
// CHECK-LABEL: func.func @main
// CHECK:         dynbatch.enqueue @embed(%{{.*}}) :
// CHECK:         dynbatch.scan {{.*}} carry(%[[H:.*]] = %
// CHECK-NEXT:      %[[DH:.*]] = dynbatch.depth %[[H]] in 1
// CHECK-NOT:       dynbatch.depth
// CHECK:           dynbatch.enqueue @forward
// CHECK:         dynbatch.scan reverse {{.*}} carry(%[[H2:.*]] = %
// CHECK-NEXT:      dynbatch.depth %[[H2]] in 2
// CHECK-NOT:       dynbatch.depth
// CHECK:           dynbatch.enqueue @backward
// CHECK:         dynbatch.enqueue @join(%{{.*}}, %{{.*}}) :

// -----

// A first function annotates a tree with tensors, a second one consumes it: the
// dependence goes through the fields.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>)
}
dynbatch.adt @Annotated {
  dynbatch.ctor @ALeaf(tensor<4xf32>)
  dynbatch.ctor @ANode(tensor<4xf32>, !dynbatch.adt<@Annotated>)
}
dynbatch.kernel private @down(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @leaf(%n: i32, %x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @up(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @annotate(%t: !dynbatch.adt<@Tree>, %x: tensor<4xf32>) -> (tensor<4xf32>, !dynbatch.adt<@Annotated>) {
  %h, %a = dynbatch.match %t : !dynbatch.adt<@Tree> -> (tensor<4xf32>, !dynbatch.adt<@Annotated>)
    case @Leaf(%n: i32) {
      %0 = dynbatch.enqueue @leaf(%n, %x) : (i32, tensor<4xf32>) -> tensor<4xf32>
      %1 = dynbatch.construct @ALeaf(%0) : (tensor<4xf32>) -> !dynbatch.adt<@Annotated>
      dynbatch.yield %0, %1 : tensor<4xf32>, !dynbatch.adt<@Annotated>
    }
    case @Node(%s: !dynbatch.adt<@Tree>) {
      %0, %1 = func.call @annotate(%s, %x) : (!dynbatch.adt<@Tree>, tensor<4xf32>) -> (tensor<4xf32>, !dynbatch.adt<@Annotated>)
      %2 = dynbatch.enqueue @up(%0) : (tensor<4xf32>) -> tensor<4xf32>
      %3 = dynbatch.construct @ANode(%2, %1) : (tensor<4xf32>, !dynbatch.adt<@Annotated>) -> !dynbatch.adt<@Annotated>
      dynbatch.yield %2, %3 : tensor<4xf32>, !dynbatch.adt<@Annotated>
    }
  return %h, %a : tensor<4xf32>, !dynbatch.adt<@Annotated>
}
func.func private @consume(%t: !dynbatch.adt<@Annotated>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.match %t : !dynbatch.adt<@Annotated> -> tensor<4xf32>
    case @ALeaf(%x: tensor<4xf32>) {
      %1 = dynbatch.enqueue @down(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %1 : tensor<4xf32>
    }
    case @ANode(%x: tensor<4xf32>, %s: !dynbatch.adt<@Annotated>) {
      %1 = dynbatch.enqueue @down(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = func.call @consume(%s, %1) : (!dynbatch.adt<@Annotated>, tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %2 : tensor<4xf32>
    }
  return %0 : tensor<4xf32>
}
func.func @main(%t: !dynbatch.adt<@Tree>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %h, %a = call @annotate(%t, %x) : (!dynbatch.adt<@Tree>, tensor<4xf32>) -> (tensor<4xf32>, !dynbatch.adt<@Annotated>)
  %0 = call @consume(%a, %x) : (!dynbatch.adt<@Annotated>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @down
// CHECK-SAME:      attributes {cyclic, stage = 2 : i64}
// CHECK-LABEL: dynbatch.kernel private @leaf
// CHECK-SAME:      attributes {stage = 0 : i64}
// CHECK-LABEL: dynbatch.kernel private @up
// CHECK-SAME:      attributes {cyclic, stage = 1 : i64}
// CHECK-LABEL: func.func private @consume
// CHECK-SAME:      %{{.*}}: !dynbatch.adt<@Annotated>, %[[H:.*]]: tensor<4xf32>)
// CHECK:           case @ALeaf
// CHECK-NEXT:        dynbatch.depth %[[H]] in 2
// CHECK-NOT:         dynbatch.depth
// CHECK:           case @ANode

// -----

// A loop that may make no iteration, a row of a computed tensor, an element of
// a computed sequence. A forced read is no dependence: its value is there.

dynbatch.kernel private @row(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @table(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  dynbatch.return %x : tensor<3x4xf32>
}
func.func @main(%x: tensor<3x4xf32>, %n: index) -> tensor<4xf32> attributes {dynbatch.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %h0 = arith.constant dense<0.0> : tensor<4xf32>
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<3x4xf32> {
    %0 = dynbatch.enqueue @table(%a) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    scf.yield %0 : tensor<3x4xf32>
  }
  %row = dynbatch.lookup %t[%n] : tensor<3x4xf32>, index -> tensor<4xf32>
  %rows = dynbatch.make_seq %row, %h0 : !dynbatch.seq<tensor<4xf32>>
  %first = dynbatch.get %rows[%n] : !dynbatch.seq<tensor<4xf32>>
  %y = dynbatch.enqueue @row(%first, %zero) : (tensor<4xf32>, f32) -> tensor<4xf32>
  %s = dynbatch.read %y[%n] : tensor<4xf32>
  %z = dynbatch.enqueue @row(%h0, %s) : (tensor<4xf32>, f32) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @row
// CHECK-SAME:      attributes {stage = 1 : i64}
// CHECK-LABEL: dynbatch.kernel private @table
// CHECK-SAME:      attributes {cyclic, stage = 0 : i64}
// CHECK-LABEL: func.func @main
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}})
// CHECK-NEXT:      dynbatch.depth %[[A]] in 0
// CHECK:         dynbatch.enqueue @row(%{{.*}}, %{{.*}}) :
// CHECK:         dynbatch.enqueue @row(%{{.*}}, %{{.*}}) :

// -----

// The entry calls itself: its argument is an instance's or a kernel's.

dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%n: i1, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = scf.if %n -> tensor<4xf32> {
    %2 = func.call @main(%n, %0) : (i1, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %0 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @k
// CHECK-SAME:      attributes {cyclic, stage = 0 : i64}
// CHECK-LABEL: func.func @main
// CHECK-SAME:      %{{.*}}: i1, %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    dynbatch.depth %[[X]] in 0

// -----

// Where calls cannot be followed, any kernel may have made the operand.

dynbatch.kernel private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @b(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @external(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = dynbatch.enqueue @b(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @a
// CHECK-SAME:      attributes {stage = 0 : i64}
// CHECK-LABEL: dynbatch.kernel private @b
// CHECK-SAME:      attributes {cyclic, stage = 1 : i64}
// CHECK-LABEL: func.func @main
// CHECK:         %[[C:.*]] = call @external
// CHECK-NEXT:    dynbatch.depth %[[C]] in 1

// -----

// Kernels that nothing enqueues, functions that nothing calls: no cycle that
// could run.

dynbatch.kernel private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @uncalled(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.enqueue @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @uncalled(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @unused
// CHECK-SAME:      attributes {stage = 0 : i64}
// CHECK-LABEL: dynbatch.kernel private @k
// CHECK-SAME:      attributes {stage = 1 : i64}
// CHECK-NOT:     dynbatch.depth

// -----

// An earlier schedule is replaced.

dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {cyclic, stage = 7 : i64} {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %c1 = arith.constant 1 : index
  %0 = dynbatch.enqueue @k(%x) depth(%c1) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @k
// CHECK-SAME:      attributes {stage = 0 : i64}
// CHECK-LABEL: func.func @main
// CHECK:         dynbatch.enqueue @k(%{{.*}}) :
