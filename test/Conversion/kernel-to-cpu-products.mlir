// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu -canonicalize | FileCheck %s

// The microkernel for rows as they are in memory has two arguments more, the
// distance of the right operand's rows and whether sums start from zero. Its
// parts are made once.

// A matrix of weights times a varying one: the microkernel computes the 64
// columns of whole panels from a table of the left rows' addresses, vector code
// the other six, which needs the zeros in memory.

// CHECK-LABEL: func.func private @right_varies_cpu(
// CHECK-DAG:     %[[C6:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[C40:.*]] = arith.constant 40 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C70:.*]] = arith.constant 70 : index
// CHECK-DAG:     %[[TABLE:.*]] = llvm.alloca
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[C6]]
// CHECK:           %[[SLOT:.*]] = llvm.getelementptr %[[TABLE]]
// CHECK:           llvm.store %{{.*}}, %[[SLOT]]
// CHECK:         call @dynbatch_row_matmul_f32(%[[TABLE]], %[[C6]], %{{.*}}, %{{.*}}, %[[C70]], %[[C40]], %[[C64]], %[[C70]], %false)
// CHECK:         vector.load {{.*}} vector<6xf32>
// CHECK:         return
ml_program.global private @W(#ml_program.extern<tensor<6x40xf32>>) : tensor<6x40xf32>
dynbatch.kernel private @right_varies(%n: index, %xs: !dynbatch.rows<tensor<40x70xf32>>, %ys: !dynbatch.rows<tensor<6x70xf32>>) attributes {task_type = (tensor<40x70xf32>) -> tensor<6x70xf32>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %W = ml_program.global_load_const @W : tensor<6x40xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<40x70xf32>> -> tensor<1x40x70xf32>
    %e = tensor.empty() : tensor<1x6x70xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x70xf32>) -> tensor<1x6x70xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%W, %x : tensor<6x40xf32>, tensor<1x40x70xf32>) outs(%z : tensor<1x6x70xf32>) {
    ^bb0(%w: f32, %a: f32, %s: f32):
      %p = arith.mulf %w, %a : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x6x70xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x6x70xf32>, !dynbatch.rows<tensor<6x70xf32>>
  }
  dynbatch.return
}

// Many rows need the table several times; heads are a loop around the call; the
// rows may be the second operand. Without a rest nothing is filled with zeros.

// CHECK-LABEL: func.func private @heads_cpu(
// CHECK-NOT:     vector.store
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C96:.*]] = arith.constant 96 : index
// CHECK-DAG:     %[[C100:.*]] = arith.constant 100 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[C3]]
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[C100]] step %[[C96]]
// CHECK:             %[[ROWS:.*]] = affine.min
// CHECK:             func.call @dynbatch_row_matmul_f32(%{{.*}}, %[[ROWS]], {{.*}}, %true)
// CHECK:         return
dynbatch.kernel private @heads(%n: index, %xs: !dynbatch.rows<tensor<3x100x8xf32>>, %zs: !dynbatch.rows<tensor<3x8x32xf32>>, %ys: !dynbatch.rows<tensor<3x100x32xf32>>) attributes {task_type = (tensor<3x100x8xf32>, tensor<3x8x32xf32>) -> tensor<3x100x32xf32>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<3x100x8xf32>> -> tensor<1x3x100x8xf32>
    %r = dynbatch.gather %zs[%i, %c1] : !dynbatch.rows<tensor<3x8x32xf32>> -> tensor<1x3x8x32xf32>
    %e = tensor.empty() : tensor<1x3x100x32xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x100x32xf32>) -> tensor<1x3x100x32xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(b, h, m, n, k) -> (b, h, k, n)>, affine_map<(b, h, m, n, k) -> (b, h, m, k)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
        ins(%r, %x : tensor<1x3x8x32xf32>, tensor<1x3x100x8xf32>) outs(%z : tensor<1x3x100x32xf32>) {
    ^bb0(%w: f32, %a: f32, %s: f32):
      %p = arith.mulf %w, %a : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x3x100x32xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x3x100x32xf32>, !dynbatch.rows<tensor<3x100x32xf32>>
  }
  dynbatch.return
}

// Sums that start from anything else are read.

// CHECK-LABEL: func.func private @from_one_cpu(
// CHECK:         vector.store
// CHECK:         func.call @dynbatch_row_matmul_f32({{.*}}, %false)
// CHECK:         return
dynbatch.kernel private @from_one(%n: index, %xs: !dynbatch.rows<tensor<4x8xf32>>, %zs: !dynbatch.rows<tensor<8x32xf32>>, %ys: !dynbatch.rows<tensor<4x32xf32>>) attributes {task_type = (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>} {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<4x8xf32>> -> tensor<1x4x8xf32>
    %r = dynbatch.gather %zs[%i, %c1] : !dynbatch.rows<tensor<8x32xf32>> -> tensor<1x8x32xf32>
    %e = tensor.empty() : tensor<1x4x32xf32>
    %z = linalg.fill ins(%one : f32) outs(%e : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    %y = linalg.batch_matmul ins(%x, %r : tensor<1x4x8xf32>, tensor<1x8x32xf32>) outs(%z : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x4x32xf32>, !dynbatch.rows<tensor<4x32xf32>>
  }
  dynbatch.return
}

// A row times a matrix is a product of one row.

// CHECK-LABEL: func.func private @row_cpu(
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK:         func.call @dynbatch_row_matmul_f32(%{{.*}}, %[[C1]], %{{.*}}, %{{.*}}, %{{.*}}, %[[C8]], %[[C32]], %[[C32]], %true)
dynbatch.kernel private @row(%n: index, %xs: !dynbatch.rows<tensor<8xf32>>, %zs: !dynbatch.rows<tensor<8x32xf32>>, %ys: !dynbatch.rows<tensor<32xf32>>) attributes {task_type = (tensor<8xf32>, tensor<8x32xf32>) -> tensor<32xf32>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<8xf32>> -> tensor<1x8xf32>
    %r = dynbatch.gather %zs[%i, %c1] : !dynbatch.rows<tensor<8x32xf32>> -> tensor<1x8x32xf32>
    %e = tensor.empty() : tensor<1x32xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32xf32>) -> tensor<1x32xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(b, n, k) -> (b, k)>, affine_map<(b, n, k) -> (b, k, n)>, affine_map<(b, n, k) -> (b, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %r : tensor<1x8xf32>, tensor<1x8x32xf32>) outs(%z : tensor<1x32xf32>) {
    ^bb0(%a: f32, %w: f32, %s: f32):
      %p = arith.mulf %a, %w : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x32xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x32xf32>, !dynbatch.rows<tensor<32xf32>>
  }
  dynbatch.return
}

// What the microkernel cannot do: a right operand with its columns along k, too
// few columns, other element types.

// CHECK-LABEL: func.func private @others_cpu(
// CHECK-NOT:     @dynbatch_row_matmul_f32
// CHECK:         return
dynbatch.kernel private @others(%n: index, %xs: !dynbatch.rows<tensor<32x8xf32>>, %us: !dynbatch.rows<tensor<8x16xf32>>, %ds: !dynbatch.rows<tensor<8x32xf64>>, %ys: !dynbatch.rows<tensor<8x32xf32>>, %vs: !dynbatch.rows<tensor<8x16xf32>>, %es: !dynbatch.rows<tensor<8x32xf64>>) attributes {task_type = (tensor<32x8xf32>, tensor<8x16xf32>, tensor<8x32xf64>) -> (tensor<8x32xf32>, tensor<8x16xf32>, tensor<8x32xf64>)} {
  %a = arith.constant dense<1.0> : tensor<8x8xf32>
  %d = arith.constant dense<1.0> : tensor<8x8xf64>
  %zero = arith.constant 0.0 : f32
  %zero64 = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<32x8xf32>> -> tensor<1x32x8xf32>
    %0 = tensor.empty() : tensor<1x8x32xf32>
    %z0 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x8x32xf32>) -> tensor<1x8x32xf32>
    %y = linalg.generic {
        indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%a, %x : tensor<8x8xf32>, tensor<1x32x8xf32>) outs(%z0 : tensor<1x8x32xf32>) {
    ^bb0(%w: f32, %e: f32, %s: f32):
      %p = arith.mulf %w, %e : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x8x32xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x8x32xf32>, !dynbatch.rows<tensor<8x32xf32>>
    %u = dynbatch.gather %us[%i, %c1] : !dynbatch.rows<tensor<8x16xf32>> -> tensor<1x8x16xf32>
    %1 = tensor.empty() : tensor<1x8x16xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%1 : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    %v = linalg.generic {
        indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%a, %u : tensor<8x8xf32>, tensor<1x8x16xf32>) outs(%z1 : tensor<1x8x16xf32>) {
    ^bb0(%w: f32, %e: f32, %s: f32):
      %p = arith.mulf %w, %e : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<1x8x16xf32>
    dynbatch.scatter %v into %vs[%i] : tensor<1x8x16xf32>, !dynbatch.rows<tensor<8x16xf32>>
    %g = dynbatch.gather %ds[%i, %c1] : !dynbatch.rows<tensor<8x32xf64>> -> tensor<1x8x32xf64>
    %2 = tensor.empty() : tensor<1x8x32xf64>
    %z2 = linalg.fill ins(%zero64 : f64) outs(%2 : tensor<1x8x32xf64>) -> tensor<1x8x32xf64>
    %h = linalg.generic {
        indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%d, %g : tensor<8x8xf64>, tensor<1x8x32xf64>) outs(%z2 : tensor<1x8x32xf64>) {
    ^bb0(%w: f64, %e: f64, %s: f64):
      %p = arith.mulf %w, %e : f64
      %t = arith.addf %s, %p : f64
      linalg.yield %t : f64
    } -> tensor<1x8x32xf64>
    dynbatch.scatter %h into %es[%i] : tensor<1x8x32xf64>, !dynbatch.rows<tensor<8x32xf64>>
  }
  dynbatch.return
}

// CHECK: func.func private @dynbatch_row_matmul_f32(%{{.*}}: !llvm.ptr, %{{.*}}: index, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: i1)
// CHECK-NOT: func.func private @dynbatch_panel_matmul_f32
