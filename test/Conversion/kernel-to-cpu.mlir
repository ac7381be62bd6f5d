// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu | FileCheck %s
// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu="vector-bits=256" | FileCheck %s --check-prefix=NARROW

// Rows are views through their pointers and results are computed in place:
// nothing is allocated or copied.

// CHECK:       dynbatch.kernel private @exp(index, !dynbatch.rows<tensor<70xf32>>, !dynbatch.rows<tensor<70xf32>>)
// CHECK-SAME:    implementation = @exp_cpu, scratch_bytes = 0
// CHECK-LABEL: func.func private @exp_cpu(
// CHECK-SAME:    %[[ROWS:[a-z0-9]+]]: !llvm.ptr, %[[COUNT:[a-z0-9]+]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK-NOT:     math.exp
// CHECK:         scf.for
// CHECK:           llvm.getelementptr %[[ROWS]][%{{.*}}, 0]
// CHECK:           llvm.getelementptr %[[ROWS]][%{{.*}}, 1]
// CHECK:           vector.load {{.*}}vector<32xf32>
// CHECK:           vector.store {{.*}}vector<32xf32>
// The last six elements.
// CHECK:           vector.load {{.*}}vector<6xf32>
// CHECK:           vector.store {{.*}}vector<6xf32>
// CHECK:         return
// NARROW-LABEL: func.func private @exp_cpu(
// NARROW:         vector.load {{.*}}vector<16xf32>
dynbatch.kernel private @exp(%n: index, %xs: !dynbatch.rows<tensor<70xf32>>, %ys: !dynbatch.rows<tensor<70xf32>>) attributes {task_type = (tensor<70xf32>) -> tensor<70xf32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<70xf32>> -> tensor<1x70xf32>
    %e = tensor.empty() : tensor<1x70xf32>
    %y = linalg.exp ins(%x : tensor<1x70xf32>) outs(%e : tensor<1x70xf32>) -> tensor<1x70xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x70xf32>, !dynbatch.rows<tensor<70xf32>>
  }
  dynbatch.return
}

// The second result lies behind the first, aligned to 64 bytes; scalars are the
// table's own words.

// CHECK-LABEL: func.func private @two_cpu(
// CHECK-DAG:     arith.constant 64 : i64
// CHECK:         return
dynbatch.kernel private @two(%n: index, %xs: !dynbatch.rows<f32>, %ys: !dynbatch.rows<tensor<4xf32>>, %zs: !dynbatch.rows<tensor<4xf32>>) attributes {task_type = (f32) -> (tensor<4xf32>, tensor<4xf32>)} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<f32> -> tensor<1xf32>
    %e = tensor.empty() : tensor<1x4xf32>
    %y = linalg.broadcast ins(%x : tensor<1xf32>) outs(%e : tensor<1x4xf32>) dimensions = [1]
    dynbatch.scatter %y into %ys[%i] : tensor<1x4xf32>, !dynbatch.rows<tensor<4xf32>>
    dynbatch.scatter %y into %zs[%i] : tensor<1x4xf32>, !dynbatch.rows<tensor<4xf32>>
  }
  dynbatch.return
}
