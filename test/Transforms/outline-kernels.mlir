// RUN: dynbatch-opt %s --dynbatch-outline-kernels --split-input-file --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-outline-kernels=merge=false --split-input-file | FileCheck %s --check-prefix=APART

// A kernel is named after its function and the case that holds the block;
// another symbol of that name stays what it is. Two equal blocks share one
// kernel, wherever they stand and whatever their operands are.

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(tensor<4xf32>)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>)
}
ml_program.global private @main_leaf(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%t: !dynbatch.adt<@Tree>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = dynbatch.match %t : !dynbatch.adt<@Tree> -> tensor<4xf32>
    case @Leaf(%a: tensor<4xf32>) {
      %1 = dynbatch.block -> tensor<4xf32> {
        %e = tensor.empty() : tensor<4xf32>
        %2 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        dynbatch.yield %2 : tensor<4xf32>
      }
      dynbatch.yield %1 : tensor<4xf32>
    }
    case @Node(%s: !dynbatch.adt<@Tree>) {
      dynbatch.yield %x : tensor<4xf32>
    }
  %1 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  %2 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %3 = linalg.log ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %3 : tensor<4xf32>
  }
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: module
// CHECK:         dynbatch.kernel private @main_leaf_0(%[[A:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:      %[[E:.*]] = tensor.empty()
// CHECK-NEXT:      %[[R:.*]] = linalg.exp ins(%[[A]] : {{.*}}) outs(%[[E]] :
// CHECK-NEXT:      dynbatch.return %[[R]]
// CHECK:         dynbatch.kernel private @main_2(
// CHECK:           linalg.log
// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[T:.*]]: !dynbatch.adt<@Tree>, %[[X:.*]]: tensor<4xf32>)
// CHECK:           case @Leaf(%[[F:.*]]: tensor<4xf32>)
// CHECK-NEXT:        dynbatch.enqueue @main_leaf_0(%[[F]]) :
// CHECK:         %[[B:.*]] = dynbatch.enqueue @main_leaf_0(%{{.*}}) :
// CHECK-NEXT:    %[[C:.*]] = dynbatch.enqueue @main_2(%[[B]]) :
// CHECK-NEXT:    return %[[B]], %[[C]]
// CHECK-NOT:   dynbatch.block

// APART-LABEL: module
// APART-COUNT-3: dynbatch.kernel
// APART:       func.func @main
// APART:         enqueue @main_leaf_0
// APART:         enqueue @main_1
// APART:         enqueue @main_2

// -----

// Blocks that differ in a constant, a constant of a payload, an attribute, a
// table or a shape are different kernels.

#id = affine_map<(d0) -> (d0)>
ml_program.global private @A(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @constants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = dynbatch.block -> tensor<4xf32> {
    %c = arith.constant dense<1.0> : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.add ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  %1 = dynbatch.block -> tensor<4xf32> {
    %c = arith.constant dense<2.0> : tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.add ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func @payloads(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %0 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.mulf %in, %one : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  %1 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.mulf %in, %two : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func @attributes(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = dynbatch.block -> tensor<2xf32> {
    %1 = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    dynbatch.yield %1 : tensor<2xf32>
  }
  %1 = dynbatch.block -> tensor<2xf32> {
    %2 = tensor.extract_slice %x[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
    dynbatch.yield %2 : tensor<2xf32>
  }
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
func.func @tables(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %A = ml_program.global_load_const @A : tensor<4xf32>
  %B = ml_program.global_load_const @B : tensor<4xf32>
  %0 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.add ins(%x, %A : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  %1 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.add ins(%x, %B : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func @shapes(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  %1 = dynbatch.block -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %2 = linalg.exp ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    dynbatch.yield %2 : tensor<8xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @constants
// CHECK:         enqueue @constants_0
// CHECK:         enqueue @constants_1
// CHECK-LABEL: func.func @payloads
// CHECK:         enqueue @payloads_2
// CHECK:         enqueue @payloads_3
// CHECK-LABEL: func.func @attributes
// CHECK:         enqueue @attributes_4
// CHECK:         enqueue @attributes_5
// CHECK-LABEL: dynbatch.kernel private @tables_6(%{{.*}}: tensor<4xf32>) ->
// CHECK:         ml_program.global_load_const @A
// CHECK-LABEL: dynbatch.kernel private @tables_7(%{{.*}}: tensor<4xf32>) ->
// CHECK:         ml_program.global_load_const @B
// CHECK-LABEL: func.func @tables
// CHECK:         enqueue @tables_6
// CHECK:         enqueue @tables_7
// CHECK-LABEL: func.func @shapes
// CHECK:         enqueue @shapes_8
// CHECK:         enqueue @shapes_9

// -----

// Which operand goes where is part of a kernel, too; which of them are the same
// tensor is.

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.sub ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  %1 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.sub ins(%y, %0 : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  %2 = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %3 = linalg.sub ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %3 : tensor<4xf32>
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[D:.*]] = dynbatch.enqueue @main_0(%[[X]], %[[Y]]) :
// CHECK-NEXT:    dynbatch.enqueue @main_0(%[[Y]], %[[D]]) :
// CHECK-NEXT:    dynbatch.enqueue @main_2(%[[X]]) :

// -----

// A private function's argument that is always one parameter is loaded in the
// kernel; one that is not, and any argument of a public function or of one that
// is never called, is the task's operand. So is what depends on parameters.

ml_program.global private @A(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func private @private(%w: tensor<4xf32>, %v: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.block -> tensor<4xf32> {
    %1 = linalg.max ins(%w, %v : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func private @uncalled(%w: tensor<4xf32>) -> tensor<4xf32> {
  %B = ml_program.global_load_const @B : tensor<4xf32>
  %0 = dynbatch.block -> tensor<4xf32> {
    %1 = linalg.min ins(%w, %B : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @public(%w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dynbatch.block -> tensor<4xf32> {
    %1 = linalg.mul ins(%w, %w : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %A = ml_program.global_load_const @A : tensor<4xf32>
  %B = ml_program.global_load_const @B : tensor<4xf32>
  %0 = call @private(%A, %A, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = call @private(%A, %B, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = call @public(%A) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @private_0(
// CHECK-SAME:      %[[V:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[A:.*]] = ml_program.global_load_const @A
// CHECK-NEXT:    linalg.max ins(%[[A]], %[[V]] : {{.*}}) outs(%[[X]] :
// CHECK-LABEL: func.func private @private(
// CHECK-SAME:      %{{.*}}: tensor<4xf32>, %[[FV:.*]]: tensor<4xf32>, %[[FX:.*]]: tensor<4xf32>)
// CHECK-NEXT:    dynbatch.enqueue @private_0(%[[FV]], %[[FX]]) :
// CHECK-LABEL: dynbatch.kernel private @uncalled_1(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK-LABEL: dynbatch.kernel private @public_2(%{{.*}}: tensor<4xf32>)

// -----

// Captured scalars are operands, also of payloads; a captured constant is
// copied. A value may be yielded twice, and one that is only passed through is
// the task's result all the same.

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>, %s: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = arith.constant dense<3.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0:4 = dynbatch.block -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {
    %own = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%c : tensor<4xf32>) outs(%own : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.mulf %in, %s : f32
      linalg.yield %2 : f32
    } -> tensor<4xf32>
    dynbatch.yield %1, %1, %x, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @main_0(
// CHECK-SAME:      %[[S:.*]]: f32, %[[X:.*]]: tensor<4xf32>)
// CHECK:         %[[C:.*]] = arith.constant dense<3.0{{.*}}>
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[C]] :
// CHECK:           arith.mulf %{{.*}}, %[[S]]
// CHECK:         dynbatch.return %[[G]], %[[G]], %[[X]], %[[C]] :
// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[FX:.*]]: tensor<4xf32>, %[[FS:.*]]: f32)
// CHECK:         %[[R:.*]]:4 = dynbatch.enqueue @main_0(%[[FS]], %[[FX]]) :
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3

// -----

// A block that passes a parameter on makes a task; who uses the result uses the
// parameter.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = dynbatch.block -> tensor<4xf32> {
    dynbatch.yield %W : tensor<4xf32>
  }
  %1 = dynbatch.block -> tensor<4xf32> {
    %2 = linalg.add ins(%x, %0 : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @main_0() ->
// CHECK-NEXT:    %[[W:.*]] = ml_program.global_load_const @W
// CHECK-NEXT:    dynbatch.return %[[W]]
// CHECK-LABEL: dynbatch.kernel private @main_1(
// CHECK-SAME:      %[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[V:.*]] = ml_program.global_load_const @W
// CHECK-NEXT:    linalg.add ins(%[[X]], %[[V]] :

// -----

// No tensor op, no kernel.

func.func @main(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32
  return %0 : i32
}

// CHECK-LABEL: module
// CHECK-NEXT:    func.func @main(
// CHECK-NEXT:      arith.addi

// -----

// Equal blocks before, in and behind a recursion stay apart: one kernel would
// make them all steps of it. Those in it are steps anyway, and independent ones
// can always share.

func.func private @loop(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = dynbatch.block -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %2 : tensor<4xf32>
    }
    %3 = dynbatch.block -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %2 = linalg.exp ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      dynbatch.yield %2 : tensor<4xf32>
    }
    %4 = func.call @loop(%c, %3) : (i1, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @main(%c: i1, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {dynbatch.entry} {
  %a = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  %b = call @loop(%c, %a) : (i1, tensor<4xf32>) -> tensor<4xf32>
  %d = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.exp ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  %f = dynbatch.block -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    dynbatch.yield %2 : tensor<4xf32>
  }
  return %d, %f : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func private @loop
// CHECK:         dynbatch.enqueue @[[LOOP:loop_[0-9]+]](
// CHECK:         dynbatch.enqueue @[[LOOP]](
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    dynbatch.enqueue @[[FIRST:main_[0-9]+]](
// CHECK:         dynbatch.enqueue @[[LAST:main_[0-9]+]](
// CHECK-NEXT:    dynbatch.enqueue @loop
