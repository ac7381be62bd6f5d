// RUN: dynbatch-opt %s --dynbatch-hoist-prologue=constants=true --split-input-file --verify-roundtrip | FileCheck %s
// RUN: dynbatch-opt %s --dynbatch-hoist-prologue --split-input-file | FileCheck %s --check-prefix=OFF

// Constants of host code become parameters, equal ones the same. Those of
// kernels and scalars stay.

dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %r = arith.addf %one, %x : tensor<4xf32>
  dynbatch.return %r : tensor<4xf32>
}
func.func private @step(%n: i32) -> tensor<4xf32> {
  %a = arith.constant dense<2.0> : tensor<4xf32>
  %0 = dynbatch.enqueue @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) attributes {dynbatch.entry} {
  %n = arith.constant 7 : i32
  %a = arith.constant dense<2.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xi8>
  %0 = call @step(%n) : (i32) -> tensor<4xf32>
  return %0, %a, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xi8>
}

// CHECK-LABEL: module
// CHECK:         ml_program.global private @constant(#{{.*}}) : tensor<4xf32>
// CHECK-NEXT:    ml_program.global private @empty(#{{.*}}) : tensor<4xi8>
// CHECK-NOT:     ml_program.global
// CHECK:         dynbatch.kernel private @k
// CHECK-NEXT:      arith.constant dense<1.000000e+00>
// CHECK:         func.func private @step
// CHECK-NEXT:      %[[A:.*]] = ml_program.global_load_const @constant : tensor<4xf32>
// CHECK-NEXT:      dynbatch.enqueue @k(%[[A]])
// CHECK:         func.func @main
// CHECK-NEXT:      %[[N:.*]] = arith.constant 7 : i32
// CHECK-NEXT:      %[[B:.*]] = ml_program.global_load_const @constant : tensor<4xf32>
// CHECK-NEXT:      %[[E:.*]] = ml_program.global_load_const @empty : tensor<4xi8>
// CHECK:           return %{{.*}}, %[[B]], %[[E]]
// CHECK-LABEL:   func.func private @prologue
// CHECK-DAG:       dynbatch.define @constant
// CHECK-DAG:       dynbatch.define @empty
// CHECK:           return

// OFF-LABEL: module
// OFF-NOT:     ml_program.global
// OFF-NOT:     @prologue

// -----

// Also where nothing ever runs.

func.func private @loop(%n: i32) -> tensor<4xf32> {
  %a = arith.constant dense<2.0> : tensor<4xf32>
  %0 = func.call @loop(%n) : (i32) -> tensor<4xf32>
  %1 = dynbatch.enqueue @k(%0, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
dynbatch.kernel private @k(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @main() -> i32 attributes {dynbatch.entry} {
  %n = arith.constant 7 : i32
  return %n : i32
}

// CHECK-LABEL: func.func private @loop
// CHECK-NEXT:    %[[A:.*]] = ml_program.global_load_const @constant : tensor<4xf32>
// CHECK:         dynbatch.enqueue @k(%{{.*}}, %[[A]])
// CHECK-LABEL: func.func private @prologue

// OFF-LABEL: func.func private @loop
// OFF-NEXT:    arith.constant dense<2.0

// -----

// New parameters stand behind those of the program.

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main() -> (tensor<4xf32>, tensor<4xf32>) attributes {dynbatch.entry} {
  %a = arith.constant dense<2.0> : tensor<4xf32>
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %s = arith.addf %W, %a : tensor<4xf32>
  return %s, %a : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: module
// CHECK:         ml_program.global private @W(
// CHECK-NEXT:    ml_program.global private @
// CHECK-NEXT:    ml_program.global private @
// CHECK:         func.func @main
// CHECK-DAG:       %[[A:.*]] = ml_program.global_load_const @constant
// CHECK-DAG:       %[[S:.*]] = ml_program.global_load_const @W_addf
// CHECK:           return %[[S]], %[[A]]

// OFF-LABEL: module
// OFF:         func.func @main
// OFF:           %[[A:.*]] = arith.constant dense<2.0
// OFF:           %[[S:.*]] = ml_program.global_load_const @W_addf
// OFF:           return %[[S]], %[[A]]
