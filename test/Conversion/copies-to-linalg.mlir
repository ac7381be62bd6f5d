// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(func.func(dynbatch-copies-to-linalg))' | FileCheck %s

// CHECK-LABEL: func.func @copies
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<4x8xf32, strided<[16, 1]>>, %[[B:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-NEXT:    linalg.copy ins(%[[A]] : {{.*}}) outs(%[[B]] : memref<4x8xf32>)
// CHECK-NEXT:    return
func.func @copies(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>) {
  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  // A buffer onto itself.
  memref.copy %b, %b : memref<4x8xf32> to memref<4x8xf32>
  return
}
