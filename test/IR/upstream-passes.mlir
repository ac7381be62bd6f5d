// Passes of MLIR on the dialect's regions: results stay right.
// RUN: dynbatch-opt %s -sccp | FileCheck %s --check-prefix=SCCP
// RUN: dynbatch-opt %s -canonicalize -cse | FileCheck %s --check-prefix=CSE
// RUN: dynbatch-opt %s -loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: dynbatch-opt %s -remove-dead-values -canonicalize | FileCheck %s --check-prefix=DEAD
// RUN: dynbatch-opt %s -inline | FileCheck %s --check-prefix=INLINE
// RUN: dynbatch-opt %s -int-range-optimizations | FileCheck %s --check-prefix=RANGE
// RUN: dynbatch-opt %s -symbol-privatize -symbol-dce | FileCheck %s --check-prefix=SYMBOL

// Types refer to an ADT, although no symbol use does.
// SYMBOL: dynbatch.adt @Tree
// SYMBOL: dynbatch.ctor @Leaf
// SYMBOL: dynbatch.ctor @Node
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

func.func private @effect(i32)

// Only what every case yields is known.
// SCCP-LABEL: func.func @match_constants(
// SCCP-DAG: %[[SEVEN:.*]] = arith.constant 7 : i32
// SCCP: %[[MATCH:.*]]:2 = dynbatch.match
// SCCP: return %[[SEVEN]], %[[MATCH]]#1
func.func @match_constants(%t: !dynbatch.adt<@Tree>) -> (i32, i32) {
  %c7 = arith.constant 7 : i32
  %c8 = arith.constant 8 : i32
  %0:2 = dynbatch.match %t : !dynbatch.adt<@Tree> -> (i32, i32)
    case @Leaf(%word: i32) {
      dynbatch.yield %c7, %c7 : i32, i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      dynbatch.yield %c7, %c8 : i32, i32
    }
  return %0#0, %0#1 : i32, i32
}

// A carried value that never changes is known, one that does is not, although
// it starts as a constant; nor are outputs and elements.
// SCCP-LABEL: func.func @scan_constants(
// SCCP-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// SCCP: %[[SCAN:.*]]:3 = dynbatch.scan
// SCCP: %[[NEXT:.*]] = arith.addi
// SCCP: dynbatch.yield %[[NEXT]], %[[ONE]], %{{.*}} : i32, i32, i32
// SCCP: return %[[SCAN]]#0, %[[ONE]], %[[SCAN]]#2
// RANGE-LABEL: func.func @scan_constants(
// RANGE: %[[SCAN:.*]]:3 = dynbatch.scan
// RANGE: arith.addi
// RANGE: return %[[SCAN]]#0, %{{.*}}, %[[SCAN]]#2
func.func @scan_constants(%xs: !dynbatch.seq<i32>) -> (i32, i32, !dynbatch.seq<i32>) {
  %c1 = arith.constant 1 : i32
  %0:3 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>)
      carry(%a = %c1 : i32, %b = %c1 : i32) -> !dynbatch.seq<i32> {
    %1 = arith.addi %a, %b : i32
    dynbatch.yield %1, %b, %a : i32, i32, i32
  }
  return %0#0, %0#1, %0#2 : i32, i32, !dynbatch.seq<i32>
}

// An element of a map is not the constant that another element is.
// SCCP-LABEL: func.func @map_constants(
// SCCP: %[[MAP:.*]] = dynbatch.map
// SCCP: return %[[MAP]]
func.func @map_constants(%c: i32) -> !dynbatch.seq<i32> {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %0 = dynbatch.make_seq %c1, %c2 : !dynbatch.seq<i32>
  // SCCP: arith.addi
  %1 = dynbatch.map (%x = %0 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    %2 = arith.addi %x, %c1 : i32
    dynbatch.yield %2 : i32
  }
  return %1 : !dynbatch.seq<i32>
}

// Live maps and scans stay, dead ones go, those with effects stay.
// CSE-LABEL: func.func @liveness(
// CSE-NEXT: %[[MAP:.*]] = dynbatch.map
// CSE: %[[SCAN:.*]] = dynbatch.scan
// CSE: dynbatch.map
// CSE: call @effect
// CSE-NOT: dynbatch.map
// CSE-NOT: dynbatch.scan
// CSE: return %[[MAP]], %[[SCAN]]
// DEAD-LABEL: func.func @liveness(
// DEAD-NEXT: %[[MAP:.*]] = dynbatch.map
// DEAD: %[[SCAN:.*]] = dynbatch.scan
// DEAD: dynbatch.map
// DEAD: call @effect
// DEAD-NOT: dynbatch.map
// DEAD-NOT: dynbatch.scan
// DEAD: return %[[MAP]], %[[SCAN]]
func.func @liveness(%xs: !dynbatch.seq<i32>, %a0: i32) -> (!dynbatch.seq<i32>, i32) {
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %1 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : i32) {
    dynbatch.yield %x : i32
  }
  dynbatch.map (%x = %xs : !dynbatch.seq<i32>) {
    func.call @effect(%x) : (i32) -> ()
  }
  %2 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %a0 : i32
  }
  %3 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : i32) {
    dynbatch.yield %a : i32
  }
  return %0, %1 : !dynbatch.seq<i32>, i32
}

// The output is not needed, but what the carried value is made of is.
// DEAD-LABEL: func.func @partly_dead(
// DEAD: dynbatch.scan
// DEAD: arith.muli
// DEAD: arith.addi
// DEAD: dynbatch.match
// DEAD: dynbatch.yield %arg{{.*}} : i32
// DEAD: dynbatch.block
// DEAD: arith.addf
// DEAD: return
func.func @partly_dead(%xs: !dynbatch.seq<i32>, %a0: i32, %t: !dynbatch.adt<@Tree>, %v: tensor<4xf32>) -> (i32, i32, tensor<4xf32>) {
  %0:2 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %a0 : i32) -> !dynbatch.seq<i32> {
    %1 = arith.muli %x, %a : i32
    %2 = arith.addi %1, %x : i32
    dynbatch.yield %2, %1 : i32, i32
  }
  %3 = dynbatch.match %t : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%word: i32) {
      dynbatch.yield %word : i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      dynbatch.yield %a0 : i32
    }
  %4:2 = dynbatch.block -> tensor<4xf32>, tensor<4xf32> {
    %5 = arith.addf %v, %v : tensor<4xf32>
    dynbatch.yield %v, %5 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %3, %4#1 : i32, i32, tensor<4xf32>
}

// Equal maps are one, but not scans of different directions or maps of
// different bodies; nothing leaves a case for another.
// CSE-LABEL: func.func @equal(
// CSE: %[[MAP:.*]] = dynbatch.map
// CSE: arith.addi
// CSE: %[[OTHER:.*]] = dynbatch.map
// CSE: arith.muli
// CSE: %[[FORWARD:.*]] = dynbatch.scan (
// CSE: %[[REVERSE:.*]] = dynbatch.scan reverse
// CSE: return %[[MAP]], %[[MAP]], %[[OTHER]], %[[FORWARD]], %[[REVERSE]]
func.func @equal(%xs: !dynbatch.seq<i32>, %c: i32)
    -> (!dynbatch.seq<i32>, !dynbatch.seq<i32>, !dynbatch.seq<i32>, i32, i32) {
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    %5 = arith.addi %x, %c : i32
    dynbatch.yield %5 : i32
  }
  %1 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    %5 = arith.addi %x, %c : i32
    dynbatch.yield %5 : i32
  }
  %2 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    %5 = arith.muli %x, %c : i32
    dynbatch.yield %5 : i32
  }
  %3 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%a = %c : i32) {
    dynbatch.yield %x : i32
  }
  %4 = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<i32>) carry(%a = %c : i32) {
    dynbatch.yield %x : i32
  }
  return %0, %1, %2, %3, %4 : !dynbatch.seq<i32>, !dynbatch.seq<i32>, !dynbatch.seq<i32>, i32, i32
}

// CSE-LABEL: func.func @equal_in_cases(
// CSE: case @Leaf
// CSE: call @effect
// CSE: dynbatch.lookup
// CSE: case @Node
// CSE: call @effect
// CSE: dynbatch.lookup
// CSE-NOT: dynbatch.lookup
// CSE: return
func.func @equal_in_cases(%t: !dynbatch.adt<@Tree>, %E: tensor<9x4xf32>, %i: i32) -> tensor<4xf32> {
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
    case @Leaf(%word: i32) {
      func.call @effect(%i) : (i32) -> ()
      %1 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf32>
      dynbatch.yield %1 : tensor<4xf32>
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      func.call @effect(%i) : (i32) -> ()
      %1 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf32>
      %2 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf32>
      %3 = arith.addf %1, %2 : tensor<4xf32>
      dynbatch.yield %3 : tensor<4xf32>
    }
  return %0 : tensor<4xf32>
}

// An op that can end the run with an error stays in a loop that may run zero
// times. A block of pure ops leaves it.
// LICM-LABEL: func.func @speculation(
// LICM: dynbatch.block
// LICM: arith.addf
// LICM: scf.for
// LICM: dynbatch.get
// LICM: dynbatch.lookup
// LICM: dynbatch.read
// LICM: dynbatch.field
// LICM: dynbatch.map
// LICM: scf.yield
func.func @speculation(%xs: !dynbatch.seq<i32>, %E: tensor<9x4xf32>, %t: !dynbatch.adt<@Tree>, %n: index, %i: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %none = arith.constant dense<0.0> : tensor<4xf32>
  %0:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero, %v = %none) -> (i32, tensor<4xf32>) {
    %1 = dynbatch.get %xs[%c0] : !dynbatch.seq<i32>
    %2 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf32>
    %3 = dynbatch.read %E[%n, %n] : tensor<9x4xf32>
    %4 = dynbatch.field @Leaf[0] of %t : !dynbatch.adt<@Tree> -> i32
    %5 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
      dynbatch.yield %x : i32
    }
    %6 = dynbatch.block -> tensor<4xf32> {
      %8 = arith.addf %none, %none : tensor<4xf32>
      dynbatch.yield %8 : tensor<4xf32>
    }
    %7 = arith.addf %2, %6 : tensor<4xf32>
    scf.yield %1, %7 : i32, tensor<4xf32>
  }
  return
}

func.func private @recursive(%t: !dynbatch.adt<@Tree>) -> i32 {
  %0 = call @recursive(%t) : (!dynbatch.adt<@Tree>) -> i32
  return %0 : i32
}
func.func private @callee(%t: !dynbatch.adt<@Tree>) -> i32 {
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%word: i32) {
      dynbatch.yield %word : i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %1 = func.call @recursive(%l) : (!dynbatch.adt<@Tree>) -> i32
      dynbatch.yield %1 : i32
    }
  return %0 : i32
}

// Calls in regions are inlined too, except those of recursive functions.
// INLINE-LABEL: func.func @inline(
// INLINE: dynbatch.map (%[[TREE:.*]] = %arg0
// INLINE-NEXT: %[[MATCH:.*]] = dynbatch.match %[[TREE]]
// INLINE: case @Node(%[[LEFT:.*]]: !dynbatch.adt<@Tree>, %{{.*}}) {
// INLINE-NEXT: call @recursive(%[[LEFT]])
// INLINE: dynbatch.yield %[[MATCH]]
// INLINE: return
func.func @inline(%ts: !dynbatch.seq<!dynbatch.adt<@Tree>>) -> !dynbatch.seq<i32> {
  %0 = dynbatch.map (%t = %ts : !dynbatch.seq<!dynbatch.adt<@Tree>>) -> !dynbatch.seq<i32> {
    %1 = func.call @callee(%t) : (!dynbatch.adt<@Tree>) -> i32
    dynbatch.yield %1 : i32
  }
  return %0 : !dynbatch.seq<i32>
}

dynbatch.kernel private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}

// Equal tasks are one; a kernel is not inlined.
// CSE-LABEL: func.func @tasks(
// CSE-NEXT: %[[TASK:.*]] = dynbatch.enqueue
// CSE-NEXT: return %[[TASK]], %[[TASK]]
// INLINE-LABEL: func.func @tasks(
// INLINE-NEXT: dynbatch.enqueue
func.func @tasks(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = dynbatch.enqueue @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dynbatch.enqueue @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
