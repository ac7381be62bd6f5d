// RUN: dynbatch-opt %s --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s -mlir-print-op-generic | dynbatch-opt | FileCheck %s

ml_program.global private @W(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @W_panels(#ml_program.extern<tensor<1x4x32xf32>>) : tensor<1x4x32xf32>

// Per instance.
// CHECK-LABEL: dynbatch.kernel private @add(%arg0: tensor<4xf32>, %arg1: tensor<4xf32> {test.note}, %arg2: index) -> (tensor<4xf32>, tensor<4xf32> {test.note}) {
// CHECK-NEXT: %0 = arith.addf %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: dynbatch.return %0, %arg0 : tensor<4xf32>, tensor<4xf32>
dynbatch.kernel private @add(%a: tensor<4xf32>, %b: tensor<4xf32> {test.note}, %n: index) -> (tensor<4xf32>, tensor<4xf32> {test.note}) {
  %0 = arith.addf %a, %b : tensor<4xf32>
  dynbatch.return %0, %a : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: dynbatch.kernel @nothing() {
// CHECK-NEXT: dynbatch.return
dynbatch.kernel @nothing() {
  dynbatch.return
}

// Scheduled.
// CHECK-LABEL: dynbatch.kernel private @cell(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> attributes {cyclic, flops = 4 : i64, stage = 1 : i64} {
// CHECK-NEXT: dynbatch.return %arg0 : tensor<4xf32>
dynbatch.kernel private @cell(%x: tensor<4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> attributes {cyclic, flops = 4 : i64, stage = 1 : i64} {
  dynbatch.return %x : tensor<4xf32>
}
// CHECK-LABEL: dynbatch.kernel private @out(%arg0: tensor<4xf32>) -> tensor<4xf32> attributes {stage = 2 : i64} {
// CHECK-NEXT: dynbatch.return %arg0 : tensor<4xf32>
dynbatch.kernel private @out(%x: tensor<4xf32>) -> tensor<4xf32> attributes {stage = 2 : i64} {
  dynbatch.return %x : tensor<4xf32>
}

// Batched.
// CHECK-LABEL: dynbatch.kernel private @batched(%arg0: index, %arg1: !dynbatch.rows<tensor<4xf32>>, %arg2: !dynbatch.rows<i32>, %arg3: !dynbatch.rows<tensor<4xf32>>) attributes {stage = 0 : i64, task_type = (tensor<4xf32>, i32) -> tensor<4xf32>} {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %0 = dynbatch.gather %arg1[%c0, %arg0] : !dynbatch.rows<tensor<4xf32>> -> tensor<?x4xf32>
// CHECK-NEXT: %1 = dynbatch.gather %arg1[%c0, %c8] {note} : !dynbatch.rows<tensor<4xf32>> -> tensor<8x4xf32>
// CHECK-NEXT: %2 = dynbatch.gather %arg2[%c0, %arg0] : !dynbatch.rows<i32> -> tensor<?xi32>
// CHECK-NEXT: dynbatch.scatter %0 into %arg3[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
// CHECK-NEXT: dynbatch.scatter %1 into %arg3[%arg0] {note} : tensor<8x4xf32>, !dynbatch.rows<tensor<4xf32>>
// CHECK-NEXT: dynbatch.return
dynbatch.kernel private @batched(%n: index, %x: !dynbatch.rows<tensor<4xf32>>, %i: !dynbatch.rows<i32>, %y: !dynbatch.rows<tensor<4xf32>>) attributes {stage = 0 : i64, task_type = (tensor<4xf32>, i32) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<4xf32>> -> tensor<?x4xf32>
  %X8 = dynbatch.gather %x[%c0, %c8] {note} : !dynbatch.rows<tensor<4xf32>> -> tensor<8x4xf32>
  %I = dynbatch.gather %i[%c0, %n] : !dynbatch.rows<i32> -> tensor<?xi32>
  dynbatch.scatter %X into %y[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.scatter %X8 into %y[%n] {note} : tensor<8x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}

// Lowered.
// CHECK-LABEL: dynbatch.kernel private @lowered(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @lowered_impl, scratch_bytes = 64 : i64, stage = 0 : i64, task_type = (tensor<4xf32>) -> tensor<4xf32>}
dynbatch.kernel private @lowered(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @lowered_impl, scratch_bytes = 64 : i64, stage = 0 : i64, task_type = (tensor<4xf32>) -> tensor<4xf32>}
func.func private @lowered_impl()

// CHECK-LABEL: func.func @enqueue(
// CHECK-NEXT: %0:2 = dynbatch.enqueue @add(%arg0, %arg0, %arg1) : (tensor<4xf32>, tensor<4xf32>, index) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: dynbatch.enqueue @nothing() {note} : () -> ()
// CHECK-NEXT: %1 = dynbatch.enqueue @cell(%arg0, %0#0) depth(%arg2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %2 = dynbatch.enqueue @out(%1) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %3 = dynbatch.enqueue @lowered(%2) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %4 = dynbatch.depth %arg0 in 1 : tensor<4xf32>
func.func @enqueue(%x: tensor<4xf32>, %n: index, %d: index) -> index {
  %0:2 = dynbatch.enqueue @add(%x, %x, %n) : (tensor<4xf32>, tensor<4xf32>, index) -> (tensor<4xf32>, tensor<4xf32>)
  dynbatch.enqueue @nothing() {note} : () -> ()
  %1 = dynbatch.enqueue @cell(%x, %0#0) depth(%d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = dynbatch.enqueue @out(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = dynbatch.enqueue @lowered(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = dynbatch.depth %x in 1 : tensor<4xf32>
  return %4 : index
}

// CHECK-LABEL: func.func @prologue() attributes {dynbatch.prologue} {
// CHECK-NEXT: %cst = arith.constant dense<0.000000e+00> : tensor<1x4x32xf32>
// CHECK-NEXT: dynbatch.define @W_panels = %cst : tensor<1x4x32xf32>
func.func @prologue() attributes {dynbatch.prologue} {
  %0 = arith.constant dense<0.0> : tensor<1x4x32xf32>
  dynbatch.define @W_panels = %0 : tensor<1x4x32xf32>
  return
}

// CHECK-LABEL: func.func @panel_matmul(
// CHECK-NEXT: %0 = dynbatch.panel_matmul ins(%arg0[%arg1], %arg2 : !dynbatch.rows<tensor<4xf32>>, tensor<2x4x32xf32>) outs(%arg3 : tensor<?x40xf32>) -> tensor<?x40xf32>
// CHECK-NEXT: %1 = dynbatch.panel_matmul ins(%arg4, %arg2 : tensor<?x4xf32>, tensor<2x4x32xf32>) outs(%arg3 : tensor<?x40xf32>) {note} -> tensor<?x40xf32>
// CHECK-NEXT: dynbatch.panel_matmul ins(%arg5, %arg6 : memref<3x4xf32, strided<[8, 1]>>, memref<1x4x32xf32>) outs(%arg7 : memref<3x32xf32>)
// CHECK-NEXT: dynbatch.panel_matmul ins(%arg0[%arg1], %arg6 : !dynbatch.rows<tensor<4xf32>>, memref<1x4x32xf32>) outs(%arg7 : memref<3x32xf32>)
func.func @panel_matmul(%rows: !dynbatch.rows<tensor<4xf32>>, %first: index, %W: tensor<2x4x32xf32>, %acc: tensor<?x40xf32>,
                        %lhs: tensor<?x4xf32>, %lhsMem: memref<3x4xf32, strided<[8, 1]>>, %WMem: memref<1x4x32xf32>, %accMem: memref<3x32xf32>) {
  %0 = dynbatch.panel_matmul ins(%rows[%first], %W : !dynbatch.rows<tensor<4xf32>>, tensor<2x4x32xf32>) outs(%acc : tensor<?x40xf32>) -> tensor<?x40xf32>
  %1 = dynbatch.panel_matmul ins(%lhs, %W : tensor<?x4xf32>, tensor<2x4x32xf32>) outs(%acc : tensor<?x40xf32>) {note} -> tensor<?x40xf32>
  dynbatch.panel_matmul ins(%lhsMem, %WMem : memref<3x4xf32, strided<[8, 1]>>, memref<1x4x32xf32>) outs(%accMem : memref<3x32xf32>)
  dynbatch.panel_matmul ins(%rows[%first], %WMem : !dynbatch.rows<tensor<4xf32>>, memref<1x4x32xf32>) outs(%accMem : memref<3x32xf32>)
  return
}
