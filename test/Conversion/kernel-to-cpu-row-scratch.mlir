// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu --split-input-file --verify-diagnostics | FileCheck %s

// A kernel that is not tiled: its whole batch is gathered into the scratch memory
// of the call, where it has a row for each row of the call. The buffers are in
// use together, so each has a place of its own behind the scratch memory of
// fixed size.

// CHECK-LABEL: dynbatch.kernel private @copies
// CHECK-SAME:      row_scratch_bytes = 192 : i64, scratch_bytes = 64 : i64
// CHECK-LABEL: func.func private @copies_cpu
// CHECK-SAME:      %{{.*}}: !llvm.ptr, %[[COUNT:.*]]: i64, %[[SCRATCH:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr
// CHECK-DAG:     %[[BASE:.*]] = llvm.ptrtoint %[[SCRATCH]]
// CHECK-DAG:     %[[ROWS:.*]] = arith.muli %[[COUNT]], %{{.*}} : i64
// CHECK-DAG:     memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 20], strides: [20, 1] : memref<1x20xf32> to memref<?x20xf32>
// CHECK-NOT:     memref.alloc
dynbatch.kernel private @copies(%n: index, %x: !dynbatch.rows<tensor<20xf32>>, %y: !dynbatch.rows<tensor<4xf32>>, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = (tensor<20xf32>, tensor<4xf32>) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<20xf32>> -> tensor<?x20xf32>
  %Y = dynbatch.gather %y[%c0, %n] : !dynbatch.rows<tensor<4xf32>> -> tensor<?x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %shared = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%X, %shared : tensor<?x20xf32>, tensor<4xf32>) outs(%Y : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x4xf32>
  dynbatch.scatter %z into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}

// -----

dynbatch.kernel private @other_size(%n: index, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = () -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = arith.muli %n, %c2 : index
  // expected-error @+1 {{needs 'memref<?x4xf32>' of scratch memory, but its size does not follow from the number of rows}}
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = tensor.extract_slice %z[%n, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  dynbatch.scatter %s into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}
