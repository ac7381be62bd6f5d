// RUN: dynbatch-opt %s --dynbatch-fork-calls --split-input-file | FileCheck %s

// Two independent calls that may be parked: the first one is spawned. What
// cannot be parked stays a call.

func.func private @quick(%x: tensor<1xf32>) -> tensor<1xf32> {
  return %x : tensor<1xf32>
}

// CHECK-LABEL: func.func private @parks
func.func private @parks(%x: tensor<1xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = dynbatch.read %x[%c0] : tensor<1xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @independent
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<1xf32>, %[[B:[a-z0-9]+]]: tensor<1xf32>
// CHECK:         %[[F:.*]] = dynbatch.spawn @parks(%[[A]])
// CHECK:         %[[Q:.*]] = call @quick(%[[B]])
// CHECK:         %[[RB:.*]] = call @parks(%[[Q]])
// CHECK:         %[[RA:.*]] = dynbatch.join %[[F]]
// CHECK:         arith.addf %[[RA]], %[[RB]]
func.func @independent(%a: tensor<1xf32>, %b: tensor<1xf32>) -> f32 {
  %x = call @parks(%a) : (tensor<1xf32>) -> f32
  %q = call @quick(%b) : (tensor<1xf32>) -> tensor<1xf32>
  %y = call @parks(%q) : (tensor<1xf32>) -> f32
  %s = arith.addf %x, %y : f32
  return %s : f32
}

// -----

// The second call needs the first one's result.

func.func private @parks(%x: tensor<1xf32>, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %w = dynbatch.read %x[%c0] : tensor<1xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

// CHECK-LABEL: func.func @dependent
// CHECK-NOT:     dynbatch.spawn
func.func @dependent(%a: tensor<1xf32>, %v: f32) -> f32 {
  %x = call @parks(%a, %v) : (tensor<1xf32>, f32) -> f32
  %y = call @parks(%a, %x) : (tensor<1xf32>, f32) -> f32
  return %y : f32
}

// -----

// All elements of a map are spawned before the first is joined; captured values
// become arguments, constants are copied.

// CHECK-LABEL: func.func @elements
// CHECK-SAME:    %[[S:[a-z0-9]+]]: !dynbatch.seq<tensor<2xf32>>, %[[V:[a-z0-9]+]]: f32
// CHECK:         %[[FS:.*]] = dynbatch.map (%[[X:.*]] = %[[S]] : !dynbatch.seq<tensor<2xf32>>) -> !dynbatch.seq<!dynbatch.fiber<f32>>
// CHECK:           %[[F:.*]] = dynbatch.spawn @elements_element(%[[X]], %[[V]])
// CHECK:           dynbatch.yield %[[F]]
// CHECK:         %[[R:.*]] = dynbatch.map (%[[G:.*]] = %[[FS]]
// CHECK:           dynbatch.join %[[G]]
// CHECK:         return %[[R]]
// CHECK-LABEL: func.func private @elements_element(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2xf32>, %[[V:[a-z0-9]+]]: f32
// CHECK:         %[[C:.*]] = arith.constant 1 : index
// CHECK:         %[[W:.*]] = dynbatch.read %[[X]][%[[C]]]
// CHECK:         arith.addf %[[V]], %[[W]]
func.func @elements(%s: !dynbatch.seq<tensor<2xf32>>, %v: f32) -> !dynbatch.seq<f32> {
  %c1 = arith.constant 1 : index
  %r = dynbatch.map (%x = %s : !dynbatch.seq<tensor<2xf32>>) -> !dynbatch.seq<f32> {
    %w = dynbatch.read %x[%c1] : tensor<2xf32>
    %y = arith.addf %v, %w : f32
    dynbatch.yield %y : f32
  }
  return %r : !dynbatch.seq<f32>
}

// -----

// Nothing here can be parked.

// CHECK-LABEL: func.func @plain
// CHECK-NOT:     dynbatch.spawn
func.func private @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  return %x : tensor<1xf32>
}
func.func @plain(%s: !dynbatch.seq<tensor<1xf32>>, %x: tensor<1xf32>) -> !dynbatch.seq<tensor<1xf32>> {
  %0 = call @f(%x) : (tensor<1xf32>) -> tensor<1xf32>
  %1 = call @f(%x) : (tensor<1xf32>) -> tensor<1xf32>
  %r = dynbatch.map (%e = %s : !dynbatch.seq<tensor<1xf32>>) -> !dynbatch.seq<tensor<1xf32>> {
    %y = func.call @f(%e) : (tensor<1xf32>) -> tensor<1xf32>
    dynbatch.yield %y : tensor<1xf32>
  }
  return %r : !dynbatch.seq<tensor<1xf32>>
}
