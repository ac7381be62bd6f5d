// RUN: dynbatch-opt %s --dynbatch-pass-context --convert-dynbatch-to-llvm="tensors=buffers" | FileCheck %s

dynbatch.adt @Box {
  dynbatch.ctor @Box(tensor<4xf32>)
}

// A tensor that goes into a cell is copied: nobody can change it later. One that
// comes out is read where it lies.

// CHECK-LABEL: func.func @main(
// CHECK:         bufferization.alloc_tensor() copy(%{{.*}}) : tensor<4xf32>
// CHECK:         memref.extract_aligned_pointer_as_index
// CHECK:         llvm.store
// CHECK:         bufferization.to_tensor %{{.*}} restrict : memref<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %b = dynbatch.construct @Box(%x) : (tensor<4xf32>) -> !dynbatch.adt<@Box>
  %y = dynbatch.field @Box[0] of %b : !dynbatch.adt<@Box> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
