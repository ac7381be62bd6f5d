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

// -----

// Calls in separate branches: all of a branch but the last moves into a
// function and is spawned.

func.func private @parks(%x: tensor<1xf32>, %i: index) -> f32 {
  %v = dynbatch.read %x[%i] : tensor<1xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @branches
// CHECK-SAME:    %[[A:[a-z0-9]+]]: i1, %[[B:[a-z0-9]+]]: i1, %[[X:[a-z0-9]+]]: tensor<1xf32>
// CHECK:         %[[F:.*]] = dynbatch.spawn @branches_branch(%[[A]], %[[X]])
// CHECK-SAME:      : (i1, tensor<1xf32>) -> !dynbatch.fiber<f32, i1>
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[B]]
// CHECK:           func.call @parks
// CHECK:         %[[J:.*]]:2 = dynbatch.join %[[F]]
// CHECK:         %[[S:.*]] = arith.addf %[[J]]#0, %[[R]]
// CHECK:         return %[[S]], %[[J]]#1
// CHECK-LABEL: func.func private @branches_branch(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: i1, %[[X:[a-z0-9]+]]: tensor<1xf32>) -> (f32, i1)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[R:.*]]:2 = scf.if %[[A]]
// CHECK:           %[[V:.*]] = func.call @parks(%[[X]], %[[C0]])
// CHECK:           scf.yield %[[V]], %[[A]]
// CHECK:           scf.yield %[[ZERO]], %[[A]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @branches(%a: i1, %b: i1, %x: tensor<1xf32>) -> (f32, i1) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %l:2 = scf.if %a -> (f32, i1) {
    %v = func.call @parks(%x, %c0) : (tensor<1xf32>, index) -> f32
    scf.yield %v, %a : f32, i1
  } else {
    scf.yield %zero, %a : f32, i1
  }
  %r = scf.if %b -> f32 {
    %v = func.call @parks(%x, %c0) : (tensor<1xf32>, index) -> f32
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  %s = arith.addf %l#0, %r : f32
  return %s, %l#1 : f32, i1
}

// -----

// One flush serves reads of tensors that are there before the branches, so
// these need no fibers.

// CHECK-LABEL: func.func @reads
// CHECK-NOT:     dynbatch.spawn
func.func @reads(%a: i1, %x: tensor<1xf32>, %y: tensor<1xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %l = scf.if %a -> f32 {
    %v = dynbatch.read %x[%c0] : tensor<1xf32>
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  %r = scf.if %a -> f32 {
    %v = dynbatch.read %y[%c0] : tensor<1xf32>
    scf.yield %v : f32
  } else {
    scf.yield %zero : f32
  }
  %s = arith.addf %l, %r : f32
  return %s : f32
}

// -----

// A loop that waits in each iteration runs beside a later call; a map is joined
// where its result is needed, after all that.

func.func private @step(%x: tensor<1xf32>) -> tensor<1xf32>
func.func private @parks(%x: tensor<1xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = dynbatch.read %x[%c0] : tensor<1xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @loop
// CHECK:         %[[FS:.*]] = dynbatch.map
// CHECK:           dynbatch.spawn @loop_element
// CHECK:         %[[F:.*]] = dynbatch.spawn @loop_branch
// CHECK:         %[[P:.*]] = call @parks
// CHECK:         %[[L:.*]]:2 = dynbatch.join %[[F]]
// CHECK:         arith.addf %[[L]]#1, %[[P]]
// CHECK:         dynbatch.map (%{{.*}} = %[[FS]]
// CHECK:           dynbatch.join
// CHECK-LABEL: func.func private @loop_branch
// CHECK:         scf.for
// CHECK:           dynbatch.read
func.func @loop(%s: !dynbatch.seq<tensor<1xf32>>, %x: tensor<1xf32>, %n: index) -> (f32, !dynbatch.seq<f32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = dynbatch.map (%e = %s : !dynbatch.seq<tensor<1xf32>>) -> !dynbatch.seq<f32> {
    %v = func.call @parks(%e) : (tensor<1xf32>) -> f32
    dynbatch.yield %v : f32
  }
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x, %a = %zero) -> (tensor<1xf32>, f32) {
    %y = func.call @step(%t) : (tensor<1xf32>) -> tensor<1xf32>
    %v = dynbatch.read %y[%c0] : tensor<1xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %y, %b : tensor<1xf32>, f32
  }
  %p = func.call @parks(%x) : (tensor<1xf32>) -> f32
  %r = arith.addf %l#1, %p : f32
  return %r, %m : f32, !dynbatch.seq<f32>
}

// -----

// A fiber takes and gives data only: what uses a vector from outside, or gives
// one, runs in place.

func.func private @parks(%x: tensor<1xf32>, %i: index) -> f32 {
  %v = dynbatch.read %x[%i] : tensor<1xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @vectors
// CHECK-NOT:     dynbatch.spawn
// CHECK:         return
func.func @vectors(%c: i1, %x: tensor<1xf32>, %s: !dynbatch.seq<tensor<1xf32>>, %i: index) -> (f32, !dynbatch.seq<f32>) {
  %zero = arith.constant 0.0 : f32
  %w = vector.broadcast %zero : f32 to vector<2xf32>
  %u = arith.addf %w, %w : vector<2xf32>
  %z = vector.broadcast %i : index to vector<2xindex>
  %m = dynbatch.map (%e = %s : !dynbatch.seq<tensor<1xf32>>) -> !dynbatch.seq<f32> {
    %k = vector.extract %z[0] : index from vector<2xindex>
    %v = func.call @parks(%e, %k) : (tensor<1xf32>, index) -> f32
    dynbatch.yield %v : f32
  }
  %l = scf.if %c -> vector<2xf32> {
    %v = func.call @parks(%x, %i) : (tensor<1xf32>, index) -> f32
    %b = vector.broadcast %v : f32 to vector<2xf32>
    scf.yield %b : vector<2xf32>
  } else {
    scf.yield %u : vector<2xf32>
  }
  %r = func.call @parks(%x, %i) : (tensor<1xf32>, index) -> f32
  %e0 = vector.extract %l[0] : f32 from vector<2xf32>
  %t = arith.addf %e0, %r : f32
  return %t, %m : f32, !dynbatch.seq<f32>
}
