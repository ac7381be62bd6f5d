// RUN: dynbatch-opt %s --dynbatch-normalize --split-input-file | FileCheck %s

// A call is replaced by its callee's body, an elementwise op by linalg, a read
// of the host by dynbatch.read.

func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xf32>) -> f32 attributes {dynbatch.entry} {
  %c0 = arith.constant 0 : index
  %0 = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.extract %0[%c0] : tensor<4xf32>
  return %1 : f32
}

// CHECK-LABEL: module
// CHECK-NOT:   @twice
// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[A:.*]]: tensor<4xf32>) -> f32
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[A]] : tensor<4xf32>, tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
// CHECK:           arith.addf
// CHECK:         %[[READ:.*]] = dynbatch.read %[[SUM]][%[[C0]]] : tensor<4xf32>
// CHECK:         return %[[READ]]

// -----

// Callees first, through several levels and inside of regions; what nothing
// refers to any more goes away, public functions and roots stay.

func.func private @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func private @g(%a: i32) -> i32 {
  %0 = call @f(%a) : (i32) -> i32
  %1 = call @f(%0) : (i32) -> i32
  return %1 : i32
}
func.func @public(%a: i32) -> i32 {
  %0 = call @g(%a) : (i32) -> i32
  return %0 : i32
}
func.func private @prologue() attributes {dynbatch.prologue} {
  return
}
func.func private @entry(%a: i32, %c: i1) -> i32 attributes {dynbatch.entry} {
  %0 = scf.if %c -> i32 {
    %1 = func.call @public(%a) : (i32) -> i32
    scf.yield %1 : i32
  } else {
    scf.yield %a : i32
  }
  return %0 : i32
}

// CHECK-LABEL: module
// CHECK-NOT:   @f
// CHECK-NOT:   @g
// CHECK-LABEL: func.func @public
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    arith.addi
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @prologue
// CHECK-LABEL: func.func private @entry
// CHECK:         scf.if
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      scf.yield

// -----

// Recursion stays, direct and mutual; what such functions call is inlined.

func.func private @leaf(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func private @self(%a: i32, %c: i1) -> i32 {
  %0 = scf.if %c -> i32 {
    %1 = func.call @self(%a, %c) : (i32, i1) -> i32
    scf.yield %1 : i32
  } else {
    %1 = func.call @leaf(%a) : (i32) -> i32
    scf.yield %1 : i32
  }
  return %0 : i32
}
func.func private @even(%a: i32) -> i32 {
  %0 = call @odd(%a) : (i32) -> i32
  return %0 : i32
}
func.func private @odd(%a: i32) -> i32 {
  %0 = call @leaf(%a) : (i32) -> i32
  %1 = call @even(%0) : (i32) -> i32
  return %1 : i32
}
func.func @main(%a: i32, %c: i1) -> (i32, i32) {
  %0 = call @self(%a, %c) : (i32, i1) -> i32
  %1 = call @even(%a) : (i32) -> i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: module
// CHECK-NOT:   @leaf
// CHECK-LABEL: func.func private @self
// CHECK:         call @self
// CHECK:         arith.muli
// CHECK-LABEL: func.func private @even
// CHECK-NEXT:    call @odd
// CHECK-LABEL: func.func private @odd
// CHECK-NEXT:    arith.muli
// CHECK-NEXT:    call @even
// CHECK-LABEL: func.func @main
// CHECK:         call @self
// CHECK:         call @even

// -----

// Functions of several blocks, external ones, functions used as values, and
// what says no_inline stay.

func.func private @external(i32) -> i32
func.func private @blocks(%a: i32) -> i32 {
  cf.br ^bb1
^bb1:
  return %a : i32
}
func.func private @kept(%a: i32) -> i32 attributes {no_inline} {
  return %a : i32
}
func.func private @value(%a: i32) -> i32 {
  return %a : i32
}
func.func @main(%a: i32) -> (i32, (i32) -> i32) {
  %0 = call @external(%a) : (i32) -> i32
  %1 = call @blocks(%0) : (i32) -> i32
  %2 = call @kept(%1) : (i32) -> i32
  %3 = call @value(%2) : (i32) -> i32
  %4 = call @value(%3) {no_inline} : (i32) -> i32
  %f = constant @value : (i32) -> i32
  return %4, %f : i32, (i32) -> i32
}

// CHECK-LABEL: func.func private @external
// CHECK-LABEL: func.func private @blocks
// CHECK-LABEL: func.func private @kept
// CHECK-LABEL: func.func private @value
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    call @external
// CHECK-NEXT:    call @blocks
// CHECK-NEXT:    call @kept
// CHECK-NEXT:    %[[V:.*]] = call @value(%{{.*}}) {no_inline}
// CHECK-NEXT:    constant @value
// CHECK-NEXT:    return %[[V]]

// -----

// A read in a loop's condition is a forced read. Payloads of tensor ops,
// kernels, blocks and the prologue are no host code.

#id = affine_map<(d0) -> (d0)>
ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
dynbatch.kernel private @kernel(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %a[%c0] : tensor<4xf32>
  %1 = tensor.splat %0 : tensor<4xf32>
  dynbatch.return %1 : tensor<4xf32>
}
func.func private @prologue() attributes {dynbatch.prologue} {
  %c0 = arith.constant 0 : index
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = tensor.extract %W[%c0] : tensor<4xf32>
  return
}
func.func @main(%a: tensor<4xf32>, %d: tensor<?xf32>) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = scf.while (%h = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %p = tensor.extract %h[%c0] : tensor<4xf32>
    %more = arith.cmpf ogt, %p, %zero : f32
    scf.condition(%more) %h : tensor<4xf32>
  } do {
  ^bb0(%h: tensor<4xf32>):
    %n = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %x = tensor.extract %h[%i] : tensor<4xf32>
      linalg.yield %x : f32
    } -> tensor<4xf32>
    %b = dynbatch.block -> tensor<4xf32> {
      %x = tensor.extract %n[%c0] : tensor<4xf32>
      %y = tensor.splat %x : tensor<4xf32>
      dynbatch.yield %y : tensor<4xf32>
    }
    %g = tensor.generate {
    ^bb0(%i: index):
      %x = tensor.extract %b[%i] : tensor<4xf32>
      tensor.yield %x : f32
    } : tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  %1 = tensor.extract %d[%c0] : tensor<?xf32>
  return %0, %1 : tensor<4xf32>, f32
}

// CHECK-LABEL: dynbatch.kernel private @kernel
// CHECK:         tensor.extract
// CHECK-LABEL: func.func private @prologue
// CHECK:         tensor.extract
// CHECK-LABEL: func.func @main
// CHECK:         scf.while (%[[H:.*]] = %{{.*}})
// CHECK:           dynbatch.read %[[H]]
// CHECK:         do
// CHECK:           linalg.generic
// CHECK:             tensor.extract
// CHECK:           dynbatch.block
// CHECK:             tensor.extract
// CHECK:           tensor.generate
// CHECK:             tensor.extract
// CHECK:         tensor.extract %{{.*}} : tensor<?xf32>
// CHECK-NOT:     dynbatch.read

// -----

// An output operand that is not read is empty; one that is read stays.

func.func @main(%a: tensor<4x4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32, "encoding">, %m: memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32, "encoding">) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.matvec ins(%a, %0 : tensor<4x4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.exp ins(%y : tensor<4xf32, "encoding">) outs(%y : tensor<4xf32, "encoding">) -> tensor<4xf32, "encoding">
  linalg.exp ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32, "encoding">
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[A:.*]]: tensor<4x4xf32>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32, "encoding">, %[[M:.*]]: memref<4xf32>)
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK:         linalg.exp ins(%[[X]] : {{.*}}) outs(%[[E]] :
// CHECK:         linalg.matvec {{.*}} outs(%[[X]] :
// CHECK:         %[[F:.*]] = tensor.empty() : tensor<4xf32, "encoding">
// CHECK:         linalg.exp ins(%[[Y]] : {{.*}}) outs(%[[F]] :
// CHECK:         linalg.exp ins(%[[M]] : memref<4xf32>) outs(%[[M]] : memref<4xf32>)

// -----

// An elementwise op may take scalars, too.

func.func @main(%c: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[C:.*]]: i1, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[C]], %[[A]], %[[B]] : i1, tensor<4xf32>, tensor<4xf32>)
// CHECK:           arith.select
