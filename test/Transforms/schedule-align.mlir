// RUN: dynbatch-opt %s --dynbatch-schedule --split-input-file --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-schedule=align=false --dynbatch-schedule --split-input-file | FileCheck %s --check-prefix=TWICE
// RUN: dynbatch-opt %s --dynbatch-schedule=align=false --split-input-file | FileCheck %s --check-prefix=APART
// RUN: dynbatch-opt %s --dynbatch-schedule=stages=false --split-input-file | FileCheck %s --check-prefix=DEPTHS

// Both directions of a network differ only in their weights and are
// independent: they advance together. A third loop behind them is a stage of its
// own, though it is equal, and so is one of another structure.

ml_program.global private @A(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
dynbatch.kernel private @forward(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %w = ml_program.global_load_const @A : tensor<4xf32>
  dynbatch.return %w : tensor<4xf32>
}
dynbatch.kernel private @backward(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %w = ml_program.global_load_const @B : tensor<4xf32>
  dynbatch.return %w : tensor<4xf32>
}
dynbatch.kernel private @second(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %w = ml_program.global_load_const @A : tensor<4xf32>
  dynbatch.return %w : tensor<4xf32>
}
dynbatch.kernel private @other(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %h : tensor<4xf32>
}
func.func @main(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {dynbatch.entry} {
  %f, %fs = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = dynbatch.enqueue @forward(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  %b = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) {
    %0 = dynbatch.enqueue @backward(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0 : tensor<4xf32>
  }
  %s = dynbatch.scan (%x = %fs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) {
    %0 = dynbatch.enqueue @second(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0 : tensor<4xf32>
  }
  %o = dynbatch.scan (%x = %xs : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) {
    %0 = dynbatch.enqueue @other(%x, %h) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0 : tensor<4xf32>
  }
  return %b, %s, %o : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @forward
// CHECK-SAME:      attributes {cyclic, stage = [[BOTH:[0-9]+]] : i64}
// CHECK-LABEL: dynbatch.kernel private @backward
// CHECK-SAME:      attributes {cyclic, stage = [[BOTH]] : i64}
// CHECK-LABEL: dynbatch.kernel private @second
// CHECK-NOT:       stage = [[BOTH]]
// CHECK-LABEL: dynbatch.kernel private @other
// CHECK-NOT:       stage = [[BOTH]]
// CHECK-LABEL: func.func @main
// CHECK:         dynbatch.scan {{.*}} carry(%[[H:.*]] = %
// CHECK-NEXT:      dynbatch.depth %[[H]] in [[BOTH]]
// CHECK-NOT:       dynbatch.depth
// CHECK:         dynbatch.scan reverse {{.*}} carry(%[[H2:.*]] = %
// CHECK-NEXT:      dynbatch.depth %[[H2]] in [[BOTH]]
// CHECK-NOT:       dynbatch.depth
// CHECK:           dynbatch.enqueue @backward

// APART-LABEL: dynbatch.kernel private @forward
// APART-SAME:      attributes {cyclic, stage = [[FORWARD:[0-9]+]] : i64}
// APART-LABEL: dynbatch.kernel private @backward
// APART-NOT:       stage = [[FORWARD]]
// APART-SAME:      attributes {cyclic, stage

// DEPTHS-COUNT-4: dynbatch.kernel private {{.*}} attributes {cyclic, stage = 0 : i64}
// DEPTHS-LABEL: func.func @main
// DEPTHS:         dynbatch.scan (%[[X:.*]] = %{{.*}} : {{.*}}) carry(%[[H:.*]] = %
// DEPTHS-NEXT:      %[[D:.*]] = dynbatch.depth %[[H]] in 0
// DEPTHS:           dynbatch.enqueue @forward
// DEPTHS:         dynbatch.scan (%[[X:.*]] = %{{.*}} : {{.*}}) carry(%[[H:.*]] = %
// DEPTHS-DAG:       dynbatch.depth %[[X]] in 0
// DEPTHS-DAG:       dynbatch.depth %[[H]] in 0
// DEPTHS:           dynbatch.enqueue @second

// -----

// One branch makes two steps, the other one; then they meet. @meet counts the
// rounds, whichever way was taken, and each other kernel has a batch in each.

dynbatch.kernel private @long1(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @long2(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @short(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @meet(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%cs: !dynbatch.seq<i1>, %h0: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %last = dynbatch.scan (%c = %cs : !dynbatch.seq<i1>) carry(%h = %h0 : tensor<4xf32>) {
    %0 = scf.if %c -> tensor<4xf32> {
      %1 = dynbatch.enqueue @long1(%h) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = dynbatch.enqueue @long2(%1) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    } else {
      %1 = dynbatch.enqueue @short(%h) : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    %3 = dynbatch.enqueue @meet(%0) : (tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %3 : tensor<4xf32>
  }
  return %last : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @long1
// CHECK-SAME:      attributes {cyclic, part = [[LONG1:.*]] : i64, stage = 0 : i64, turn = #dynbatch.turn<once>}
// CHECK-LABEL: dynbatch.kernel private @long2
// CHECK-SAME:      attributes {cyclic, part = [[LONG2:.*]] : i64, stage = 0 : i64, turn = #dynbatch.turn<once>}
// CHECK-LABEL: dynbatch.kernel private @short
// CHECK-SAME:      attributes {cyclic, part = {{.*}} : i64, stage = 0 : i64, turn = #dynbatch.turn<once>}
// CHECK-LABEL: dynbatch.kernel private @meet
// CHECK-SAME:      attributes {cyclic, stage = 0 : i64, turn = #dynbatch.turn<first>}
// CHECK-LABEL: func.func @main
// CHECK:         dynbatch.scan {{.*}} carry(%[[H:.*]] = %
// CHECK:           %[[D:.*]] = dynbatch.depth %[[H]] in 0
// CHECK-NEXT:      %[[BITS:.*]] = arith.constant 12 : index
// CHECK-NEXT:      %[[R:.*]] = arith.shrui %[[D]], %[[BITS]] : index
// CHECK-NEXT:      %[[SAME:.*]] = arith.shli %[[R]], %[[BITS]] : index
// CHECK-NEXT:      dynbatch.enqueue @long1(%[[H]]) depth(%[[SAME]])
// CHECK:           dynbatch.enqueue @short
// CHECK:           %[[D2:.*]] = dynbatch.depth %[[MET:.*]] in 0
// CHECK-NEXT:      %[[BITS2:.*]] = arith.constant 12 : index
// CHECK-NEXT:      %[[R2:.*]] = arith.shrui %[[D2]], %[[BITS2]] : index
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[R2]], %[[ONE]] : index
// CHECK-NEXT:      %[[DN:.*]] = arith.shli %[[NEXT]], %[[BITS2]] : index
// CHECK-NEXT:      dynbatch.enqueue @meet(%[[MET]]) depth(%[[DN]])

// TWICE-COUNT-3: turn = #dynbatch.turn<once>
// TWICE:         turn = #dynbatch.turn<first>

// APART-COUNT-4: dynbatch.kernel private {{.*}} attributes {cyclic, stage = 0 : i64}
// APART-NOT:     arith.shrui

// -----

// A loop inside of a recursion: the sum takes steps in each round. That the
// outer kernel comes first, and not the sum, follows from where they stand.

dynbatch.adt @Tree {
  dynbatch.ctor @Node(tensor<4xf32>, !dynbatch.seq<!dynbatch.adt<@Tree>>)
}
dynbatch.kernel private @sum(%s: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %s : tensor<4xf32>
}
dynbatch.kernel private @cell(%x: tensor<4xf32>, %s: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main(%t: !dynbatch.adt<@Tree>, %h0: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
    case @Node(%x: tensor<4xf32>, %children: !dynbatch.seq<!dynbatch.adt<@Tree>>) {
      %s, %h = dynbatch.scan (%child = %children : !dynbatch.seq<!dynbatch.adt<@Tree>>) carry(%s0 = %h0 : tensor<4xf32>, %h1 = %h0 : tensor<4xf32>) {
        %1 = func.call @main(%child, %h1) : (!dynbatch.adt<@Tree>, tensor<4xf32>) -> tensor<4xf32>
        %2 = dynbatch.enqueue @sum(%s0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        dynbatch.yield %2, %1 : tensor<4xf32>, tensor<4xf32>
      }
      %3 = dynbatch.enqueue @cell(%x, %s, %h) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %3 : tensor<4xf32>
    }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @sum
// CHECK-SAME:      attributes {cyclic, part = 0 : i64, stage = 0 : i64, turn = #dynbatch.turn<steps>}
// CHECK-LABEL: dynbatch.kernel private @cell
// CHECK-SAME:      attributes {cyclic, stage = 0 : i64, turn = #dynbatch.turn<first>}
// CHECK-LABEL: func.func @main
// CHECK:         %[[X:.*]] = func.call @main
// CHECK-NEXT:    %[[DS:.*]] = dynbatch.depth %[[S:.*]] in 0
// CHECK-NEXT:    %[[DX:.*]] = dynbatch.depth %[[X]] in 0
// CHECK-NEXT:    %[[BITS:.*]] = arith.constant 12 : index
// CHECK-NEXT:    %[[R:.*]] = arith.shrui %[[DX]], %[[BITS]] : index
// CHECK-NEXT:    %[[ROUND:.*]] = arith.shli %[[R]], %[[BITS]] : index
// CHECK-NEXT:    %[[MAX:.*]] = arith.maxui %[[DS]], %[[ROUND]] : index
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[D:.*]] = arith.addi %[[MAX]], %[[ONE]] : index
// CHECK-NEXT:    dynbatch.enqueue @sum(%[[S]], %[[X]]) depth(%[[D]])

// -----

// Tasks without an operand of the stage: the first round for the kernel that
// counts rounds, round 0 for others.

dynbatch.kernel private @first(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
dynbatch.kernel private @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func private @loop(%n: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.enqueue @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dynbatch.enqueue @once(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = scf.if %n -> tensor<4xf32> {
    %3 = func.call @loop(%n, %1) : (i1, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  } else {
    scf.yield %1 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
func.func @main(%n: i1, %x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @once(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @loop(%n, %0) : (i1, tensor<4xf32>) -> tensor<4xf32>
  %2 = dynbatch.enqueue @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @loop(%n, %2) : (i1, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @loop
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    dynbatch.enqueue @once(%{{.*}}) depth(%[[ZERO]])
// CHECK:         %[[ROUND1:.*]] = arith.constant 4096 : index
// CHECK-NEXT:    dynbatch.enqueue @first(%{{.*}}) depth(%[[ROUND1]])
