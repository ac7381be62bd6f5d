// RUN: dynbatch-opt %s -canonicalize="test-convergence" -allow-unregistered-dialect | FileCheck %s

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

// CHECK-LABEL: func.func @match_of_construct(
func.func @match_of_construct(%x: i32, %y: i32) -> (i32, i32) {
  %t = dynbatch.construct @Leaf(%x) : (i32) -> !dynbatch.adt<@Tree>
  %0:2 = dynbatch.match %t : !dynbatch.adt<@Tree> -> (i32, i32)
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      dynbatch.yield %y, %y : i32, i32
    }
    case @Leaf(%word: i32) {
      %1 = arith.addi %word, %y : i32
      dynbatch.yield %1, %word : i32, i32
    }
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %arg0, %arg1 : i32
  // CHECK-NEXT: return %[[SUM]], %arg0
  return %0#0, %0#1 : i32, i32
}

// CHECK-LABEL: func.func @match_of_nested_construct(
func.func @match_of_nested_construct(%x: i32, %t: !dynbatch.adt<@Tree>) -> i32 {
  %leaf = dynbatch.construct @Leaf(%x) : (i32) -> !dynbatch.adt<@Tree>
  %node = dynbatch.construct @Node(%leaf, %t) : (!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>) -> !dynbatch.adt<@Tree>
  %0 = dynbatch.match %node : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%word: i32) {
      dynbatch.yield %word : i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %1 = dynbatch.match %l : !dynbatch.adt<@Tree> -> i32
        case @Leaf(%word: i32) {
          dynbatch.yield %word : i32
        }
        case @Node(%ll: !dynbatch.adt<@Tree>, %lr: !dynbatch.adt<@Tree>) {
          dynbatch.yield %x : i32
        }
      dynbatch.yield %1 : i32
    }
  // CHECK-NEXT: return %arg0
  return %0 : i32
}

// The effects of the case that runs stay, those of the others go.
// CHECK-LABEL: func.func @match_effects(
func.func @match_effects(%x: i32) {
  %t = dynbatch.construct @Leaf(%x) : (i32) -> !dynbatch.adt<@Tree>
  dynbatch.match %t : !dynbatch.adt<@Tree>
    case @Leaf(%word: i32) {
      "test.leaf"(%word) : (i32) -> ()
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      "test.node"() : () -> ()
    }
  // CHECK-NEXT: "test.leaf"(%arg0)
  // CHECK-NEXT: return
  return
}

// CHECK-LABEL: func.func @match_of_argument(
func.func @match_of_argument(%t: !dynbatch.adt<@Tree>, %x: i32) -> i32 {
  // CHECK: dynbatch.match
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%word: i32) {
      dynbatch.yield %word : i32
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      dynbatch.yield %x : i32
    }
  return %0 : i32
}

// CHECK-LABEL: func.func @length(
func.func @length(%x: i32, %xs: !dynbatch.seq<i32>) -> (index, index, index) {
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[LENGTH:.*]] = dynbatch.length %arg1
  // CHECK-NEXT: return %[[TWO]], %[[ZERO]], %[[LENGTH]]
  %0 = dynbatch.make_seq %x, %x : !dynbatch.seq<i32>
  %1 = dynbatch.length %0 : !dynbatch.seq<i32>
  %2 = dynbatch.make_seq : !dynbatch.seq<i32>
  %3 = dynbatch.length %2 : !dynbatch.seq<i32>
  %4 = dynbatch.length %xs : !dynbatch.seq<i32>
  return %1, %3, %4 : index, index, index
}

// A map is as long as its input; a scan's outputs are not folded.
// CHECK-LABEL: func.func @length_of_map(
func.func @length_of_map(%xs: !dynbatch.seq<i32>) -> index {
  // CHECK-NEXT: %[[LENGTH:.*]] = dynbatch.length %arg0
  // CHECK-NEXT: return %[[LENGTH]]
  %0 = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %1 = dynbatch.map (%x = %0 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %2 = dynbatch.length %1 : !dynbatch.seq<i32>
  return %2 : index
}

// CHECK-LABEL: func.func @get(
func.func @get(%x: i32, %y: i32, %i: index) -> (i32, i32, i32) {
  // CHECK: %[[SEQ:.*]] = dynbatch.make_seq
  // CHECK-NEXT: %[[GET:.*]] = dynbatch.get %[[SEQ]][%arg2]
  // CHECK-NEXT: return %arg0, %arg1, %[[GET]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = dynbatch.make_seq %x, %y : !dynbatch.seq<i32>
  %1 = dynbatch.get %0[%c0] : !dynbatch.seq<i32>
  %2 = dynbatch.get %0[%c1] : !dynbatch.seq<i32>
  %3 = dynbatch.get %0[%i] : !dynbatch.seq<i32>
  return %1, %2, %3 : i32, i32, i32
}

// An index out of range is an error at run time.
// CHECK-LABEL: func.func @get_out_of_range(
func.func @get_out_of_range(%x: i32) -> (i32, i32, i32) {
  // CHECK-COUNT-3: dynbatch.get
  %c2 = arith.constant 2 : index
  %cm1 = arith.constant -1 : index
  %0 = dynbatch.make_seq %x, %x : !dynbatch.seq<i32>
  %1 = dynbatch.get %0[%c2] : !dynbatch.seq<i32>
  %2 = dynbatch.get %0[%cm1] : !dynbatch.seq<i32>
  %3 = dynbatch.make_seq : !dynbatch.seq<i32>
  %4 = dynbatch.get %3[%c2] : !dynbatch.seq<i32>
  return %1, %2, %4 : i32, i32, i32
}

// CHECK-LABEL: func.func @lookup(
func.func @lookup(%E: tensor<9x4xf32>, %v: tensor<9xf32>, %i: i32) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>) {
  // CHECK-DAG: %[[ROW:.*]] = tensor.extract_slice %arg0[3, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<4xf32>
  // CHECK-DAG: %[[ELEMENT:.*]] = tensor.extract_slice %arg1[8] [1] [1] : tensor<9xf32> to tensor<f32>
  // CHECK-DAG: %[[LOOKUP:.*]] = dynbatch.lookup %arg0[%arg2]
  // CHECK: return %[[ROW]], %[[ELEMENT]], %[[LOOKUP]]
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : index
  %0 = dynbatch.lookup %E[%c3] : tensor<9x4xf32>, i32 -> tensor<4xf32>
  %1 = dynbatch.lookup %v[%c8] : tensor<9xf32>, index -> tensor<f32>
  %2 = dynbatch.lookup %E[%i] : tensor<9x4xf32>, i32 -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<f32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @lookup_out_of_range(
func.func @lookup_out_of_range(%E: tensor<9x4xf32>, %none: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-3: dynbatch.lookup
  %c0 = arith.constant 0 : i32
  %c9 = arith.constant 9 : i32
  %cm1 = arith.constant -1 : i32
  %0 = dynbatch.lookup %E[%c9] : tensor<9x4xf32>, i32 -> tensor<4xf32>
  %1 = dynbatch.lookup %E[%cm1] : tensor<9x4xf32>, i32 -> tensor<4xf32>
  %2 = dynbatch.lookup %none[%c0] : tensor<0x4xf32>, i32 -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

dynbatch.kernel private @cell(%h: tensor<4xf32>) -> tensor<4xf32> attributes {stage = 1 : i64, cyclic} {
  dynbatch.return %h : tensor<4xf32>
}
dynbatch.kernel private @once(%h: tensor<4xf32>) -> tensor<4xf32> attributes {stage = 2 : i64} {
  dynbatch.return %h : tensor<4xf32>
}
dynbatch.kernel private @unscheduled(%h: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %h : tensor<4xf32>
}

// In its own stage a task has the depth it was given, in any other 0.
// CHECK-LABEL: func.func @depth(
func.func @depth(%h: tensor<4xf32>, %d: index) -> (index, index, index, index) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: return %arg1, %[[ZERO]], %[[ZERO]], %[[ZERO]]
  %0 = dynbatch.enqueue @cell(%h) depth(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dynbatch.depth %0 in 1 : tensor<4xf32>
  %2 = dynbatch.depth %0 in 2 : tensor<4xf32>
  %3 = dynbatch.enqueue @once(%h) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = dynbatch.depth %3 in 1 : tensor<4xf32>
  %5 = dynbatch.depth %3 in 2 : tensor<4xf32>
  return %1, %2, %4, %5 : index, index, index, index
}

// Unless a flush may come in between: then nothing is pending in the stage.
// CHECK-LABEL: func.func @depth_after_flush(
func.func @depth_after_flush(%h: tensor<4xf32>, %d: index) -> (index, index, index) {
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: %[[A:.*]] = dynbatch.depth
  // CHECK: %[[B:.*]] = dynbatch.depth
  // CHECK: return %[[A]], %[[ZERO]], %[[B]]
  %c0 = arith.constant 0 : index
  %0 = dynbatch.enqueue @cell(%h) depth(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %x = dynbatch.read %0[%c0] : tensor<4xf32>
  "test.use"(%x) : (f32) -> ()
  %1 = dynbatch.depth %0 in 1 : tensor<4xf32>
  %2 = dynbatch.depth %0 in 2 : tensor<4xf32>
  %3 = dynbatch.enqueue @cell(%h) depth(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %4:3 = call @depth_after_flush(%h, %d) : (tensor<4xf32>, index) -> (index, index, index)
  %5 = dynbatch.depth %3 in 1 : tensor<4xf32>
  "test.use"(%4#0) : (index) -> ()
  return %1, %2, %5 : index, index, index
}

// CHECK-LABEL: func.func @depth_unknown(
func.func @depth_unknown(%h: tensor<4xf32>) -> (index, index) {
  // CHECK-COUNT-2: dynbatch.depth
  %0 = dynbatch.depth %h in 1 : tensor<4xf32>
  %1 = dynbatch.enqueue @unscheduled(%h) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = dynbatch.depth %1 in 1 : tensor<4xf32>
  return %0, %2 : index, index
}

// Ops of dead code can use values that they define.
// CHECK-LABEL: func.func @dead_code(
func.func @dead_code(%c: i1) {
  return
^dead:
  %c0 = arith.constant 0 : index
  %0 = dynbatch.map (%x = %1 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %1 = dynbatch.map (%x = %0 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %2 = dynbatch.length %1 : !dynbatch.seq<i32>
  %3 = dynbatch.make_seq %4 : !dynbatch.seq<i32>
  %4 = dynbatch.get %3[%c0] : !dynbatch.seq<i32>
  "test.use"(%2, %4) : (index, i32) -> ()
  cf.br ^dead
}

// A graph region, where no use needs to be dominated.
// CHECK-LABEL: module @graph
module @graph {
  dynbatch.adt @Tree {
    dynbatch.ctor @Leaf(i32)
  }
  // CHECK-COUNT-2: dynbatch.map
  // CHECK: dynbatch.length
  // CHECK: dynbatch.get
  // CHECK: dynbatch.construct
  // CHECK: dynbatch.match
  %c0 = arith.constant 0 : index
  %0 = dynbatch.map (%x = %1 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %1 = dynbatch.map (%x = %0 : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  %2 = dynbatch.length %1 : !dynbatch.seq<i32>
  %3 = dynbatch.make_seq %4 : !dynbatch.seq<i32>
  %4 = dynbatch.get %3[%c0] : !dynbatch.seq<i32>
  %5 = dynbatch.construct @Leaf(%6) : (i32) -> !dynbatch.adt<@Tree>
  %6 = dynbatch.match %5 : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%word: i32) {
      dynbatch.yield %word : i32
    }
  "test.use"(%2, %4, %6) : (index, i32, i32) -> ()
}
