// RUN: dynbatch-opt %s --dynbatch-form-blocks --split-input-file --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-form-blocks=coarsen=false --split-input-file | FileCheck %s --check-prefix=FINE

// Tensor ops before and after a call that does not need them form one block:
// the call moves up.

func.func private @f(%n: i32) -> tensor<4xf32> {
  %0 = func.call @f(%n) : (i32) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%n: i32, %m: i32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %l = call @f(%n) : (i32) -> tensor<4xf32>
  %a = linalg.exp ins(%l : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = call @f(%m) : (i32) -> tensor<4xf32>
  %b = linalg.add ins(%a, %r : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[N:.*]]: i32, %[[M:.*]]: i32)
// CHECK-NEXT:    %[[L:.*]] = call @f(%[[N]])
// CHECK-NEXT:    %[[R:.*]] = call @f(%[[M]])
// CHECK-NEXT:    %[[B:.*]] = dynbatch.block -> tensor<4xf32> {
// CHECK-NEXT:      %[[E:.*]] = tensor.empty()
// CHECK-NEXT:      %[[A:.*]] = linalg.exp ins(%[[L]] : tensor<4xf32>) outs(%[[E]] :
// CHECK-NEXT:      %[[S:.*]] = linalg.add ins(%[[A]], %[[R]] : tensor<4xf32>, tensor<4xf32>) outs(%[[E]] :
// CHECK-NEXT:      dynbatch.yield %[[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[B]]

// FINE-LABEL: func.func @main(
// FINE:         %[[L:.*]] = call @f
// FINE-NEXT:    %[[R:.*]] = call @f
// FINE-NEXT:    %[[A:.*]] = dynbatch.block -> tensor<4xf32> {
// FINE-NEXT:      tensor.empty
// FINE-NEXT:      linalg.exp ins(%[[L]] :
// FINE-NEXT:      dynbatch.yield
// FINE:         dynbatch.block -> tensor<4xf32> {
// FINE-NEXT:      tensor.empty
// FINE-NEXT:      linalg.add ins(%[[A]], %[[R]] :
// FINE-NEXT:      dynbatch.yield

// -----

// A call that needs a block's result comes between two blocks, whatever the
// order of ops was.

func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.add ins(%a, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.log ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %b, %c : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[AC:.*]]:2 = dynbatch.block -> tensor<4xf32>, tensor<4xf32> {
// CHECK:           linalg.exp ins(%[[X]] :
// CHECK:           linalg.log ins(%[[X]] :
// CHECK:         %[[G:.*]] = call @g(%[[AC]]#0)
// CHECK-NEXT:    %[[B:.*]] = dynbatch.block -> tensor<4xf32> {
// CHECK:           linalg.add ins(%[[AC]]#0, %[[G]] :
// CHECK:         return %[[B]], %[[AC]]#1

// FINE-LABEL: func.func @main(
// FINE-COUNT-3: dynbatch.block
// FINE:         return

// -----

// Parameters and constants are copied into the blocks. Views of tables and
// forced reads are the host's, as are tensors that are only handed on.

ml_program.global private @E(#ml_program.extern<tensor<9x4xf32>>) : tensor<9x4xf32>
func.func @main(%i: index) -> (tensor<4xf32>, f32, tensor<4xf32>, tensor<9x4xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %E = ml_program.global_load_const @E : tensor<9x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %x = dynbatch.lookup %E[%i] : tensor<9x4xf32>, index -> tensor<4xf32>
  %a = linalg.add ins(%x, %one : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %p = dynbatch.read %a[%c0] : tensor<4xf32>
  return %a, %p, %one, %E : tensor<4xf32>, f32, tensor<4xf32>, tensor<9x4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[I:.*]]: index)
// CHECK:         %[[X:.*]] = dynbatch.lookup %{{.*}}[%[[I]]]
// CHECK-NEXT:    %[[A:.*]] = dynbatch.block -> tensor<4xf32> {
// CHECK-DAG:       %[[ONE:.*]] = arith.constant dense<1.0
// CHECK-DAG:       %[[E:.*]] = tensor.empty()
// CHECK:           linalg.add ins(%[[X]], %[[ONE]] : {{.*}}) outs(%[[E]] :
// CHECK:         dynbatch.read %[[A]]

// -----

// Regions: a match, a loop and a while loop are host ops that need what they
// capture, at any nesting.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, tensor<4xf32>)
}
func.func @main(%t: !dynbatch.adt<@Tree>, %x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
    case @Leaf(%w: i32) {
      dynbatch.yield %x : tensor<4xf32>
    }
    case @Node(%s: !dynbatch.adt<@Tree>, %y: tensor<4xf32>) {
      %inner = dynbatch.match %s : !dynbatch.adt<@Tree> -> tensor<4xf32>
        case @Leaf(%w: i32) {
          %0 = linalg.add ins(%a, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          dynbatch.yield %0 : tensor<4xf32>
        }
        case @Node(%s2: !dynbatch.adt<@Tree>, %z: tensor<4xf32>) {
          dynbatch.yield %z : tensor<4xf32>
        }
      dynbatch.yield %inner : tensor<4xf32>
    }
  %for = scf.for %i = %c0 to %n step %c1 iter_args(%h = %m) -> tensor<4xf32> {
    %0 = linalg.exp ins(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  %while = scf.while (%h = %for) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = linalg.exp ins(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %p = dynbatch.read %0[%c0] : tensor<4xf32>
    %more = arith.cmpf ogt, %p, %zero : f32
    scf.condition(%more) %0 : tensor<4xf32>
  } do {
  ^bb0(%h: tensor<4xf32>):
    %0 = linalg.log ins(%h : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %while : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK:         %[[A:.*]] = dynbatch.block
// CHECK:           linalg.exp
// CHECK:         %[[M:.*]] = dynbatch.match
// CHECK:           dynbatch.match
// CHECK:             %[[S:.*]] = dynbatch.block
// CHECK:               linalg.add ins(%[[A]], %{{.*}} :
// CHECK:             dynbatch.yield %[[S]]
// CHECK:         %[[FOR:.*]] = scf.for {{.*}} iter_args(%[[H:.*]] = %[[M]])
// CHECK:           %[[N:.*]] = dynbatch.block
// CHECK:             linalg.exp ins(%[[H]] :
// CHECK:           scf.yield %[[N]]
// CHECK:         %[[WHILE:.*]] = scf.while (%[[H2:.*]] = %[[FOR]])
// CHECK:           %[[C:.*]] = dynbatch.block
// CHECK:             linalg.exp ins(%[[H2]] :
// CHECK:           dynbatch.read %[[C]]
// CHECK:           scf.condition(%{{.*}}) %[[C]]
// CHECK:         do
// CHECK:           dynbatch.block
// CHECK:             linalg.log
// CHECK:         return %[[WHILE]]

// -----

// Bodies of map and scan.

func.func @main(%xs: !dynbatch.seq<tensor<4xf32>>, %h0: tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
  %e = tensor.empty() : tensor<4xf32>
  %ys = dynbatch.map (%x = %xs : !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0 : tensor<4xf32>
  }
  %last, %hs = dynbatch.scan (%y = %ys : !dynbatch.seq<tensor<4xf32>>) carry(%h = %h0 : tensor<4xf32>) -> !dynbatch.seq<tensor<4xf32>> {
    %0 = linalg.add ins(%y, %h : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  return %hs : !dynbatch.seq<tensor<4xf32>>
}

// CHECK-LABEL: func.func @main(
// CHECK:         %[[YS:.*]] = dynbatch.map (%[[X:.*]] = %{{.*}} :
// CHECK:           %[[B:.*]] = dynbatch.block
// CHECK:             linalg.exp ins(%[[X]] :
// CHECK:           dynbatch.yield %[[B]]
// CHECK:         dynbatch.scan (%[[Y:.*]] = %[[YS]] : {{.*}}) carry(%[[H:.*]] = %{{.*}})
// CHECK:           %[[C:.*]] = dynbatch.block
// CHECK:             linalg.add ins(%[[Y]], %[[H]] :
// CHECK:           dynbatch.yield %[[C]], %[[C]]

// -----

// A control-flow graph: results used in other blocks, loops, and unreachable
// code, where order means nothing.

func.func @main(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  cf.br ^bb1(%x : tensor<4xf32>)
^bb1(%h: tensor<4xf32>):
  %b = linalg.add ins(%a, %h : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  cf.cond_br %c, ^bb1(%b : tensor<4xf32>), ^bb2
^bb2:
  return %b : tensor<4xf32>
^bb3:
  %p = linalg.exp ins(%q : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %q = linalg.exp ins(%p : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %q : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK:         %[[A:.*]] = dynbatch.block
// CHECK:           linalg.exp
// CHECK:         cf.br ^bb1
// CHECK:       ^bb1(%[[H:.*]]: tensor<4xf32>):
// CHECK:         %[[B:.*]] = dynbatch.block
// CHECK:           linalg.add ins(%[[A]], %[[H]] :
// CHECK:         cf.cond_br %{{.*}}, ^bb1(%[[B]] : tensor<4xf32>), ^bb2
// CHECK:         return %[[B]]
// CHECK-NOT:     ^bb3

// -----

// Payloads belong to their op: what a region captures counts as an operand, of
// earlier blocks, of the host, and of the same block.

#id = affine_map<(d0) -> (d0)>
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %f = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %s = arith.sitofp %n : i32 to f32
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %f[%i] : tensor<4xf32>
    %w = tensor.extract %a[%i] : tensor<4xf32>
    %0 = arith.mulf %v, %w : f32
    %1 = arith.mulf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK:         %[[S:.*]] = arith.sitofp
// CHECK:         %[[A:.*]] = dynbatch.block
// CHECK:           linalg.exp
// CHECK:         %[[F:.*]] = call @f(%[[A]])
// CHECK:         dynbatch.block
// CHECK:           linalg.generic
// CHECK:             tensor.extract %[[F]]
// CHECK:             tensor.extract %[[A]]
// CHECK:             arith.mulf %{{.*}}, %[[S]]

// -----

// Dead tensor ops make no task. A scalar's choice between tensors moves no
// data, neither does a program without a tensor op.

func.func @main(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = arith.select %c, %x, %y : tensor<4xf32>
  return %s : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[C:.*]]: i1, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[S:.*]] = arith.select %[[C]], %[[X]], %[[Y]]
// CHECK-NEXT:    return %[[S]]

// -----

// Kernels, blocks and the prologue are there already.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @V(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
dynbatch.kernel private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.return %0 : tensor<4xf32>
}
func.func private @prologue() attributes {dynbatch.prologue} {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%W : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.define @V = %0 : tensor<4xf32>
  return
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.enqueue @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.log ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @kernel
// CHECK-NOT:     dynbatch.block
// CHECK-LABEL: func.func private @prologue
// CHECK-NOT:     dynbatch.block
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[K:.*]] = dynbatch.enqueue @kernel
// CHECK-NEXT:    %[[B:.*]] = dynbatch.block
// CHECK:           linalg.log ins(%[[K]] :
// CHECK:         return %[[B]]
