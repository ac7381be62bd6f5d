// A function may return a row of a table. The caller must not compute into it:
// the second instance would see a changed table.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --output=%t/cpu.txt
// RUN: %python %numpy/compare.py %t/reference.txt %t/cpu.txt --tolerance 1e-6
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --target=reference | FileCheck %s

// CHECK:      [[LEAF:\[.*\]]]
// CHECK-NEXT: [[NODE:\[.*\]]]
// CHECK-NEXT: [[LEAF]]
// CHECK-NEXT: [[NODE]]

//--- instances.txt
(Leaf 1)
(Node (Leaf 1) (Leaf 2))
(Leaf 1)
(Node (Leaf 1) (Leaf 2))

//--- model.mlir
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}
ml_program.global private @E(#ml_program.extern<tensor<10x4xf32>>) : tensor<10x4xf32>

func.func @encode(%tree: !dynbatch.adt<@Tree>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %h = dynbatch.match %tree : !dynbatch.adt<@Tree> -> tensor<4xf32>
    case @Leaf(%word: i32) {
      %E = ml_program.global_load_const @E : tensor<10x4xf32>
      %x = dynbatch.lookup %E[%word] : tensor<10x4xf32>, i32 -> tensor<4xf32>
      dynbatch.yield %x : tensor<4xf32>
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %a = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
      %b = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
      %s = arith.addf %a, %b : tensor<4xf32>
      dynbatch.yield %s : tensor<4xf32>
    }
  return %h : tensor<4xf32>
}
