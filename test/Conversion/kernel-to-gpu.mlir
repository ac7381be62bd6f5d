// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu --canonicalize --cse | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline="builtin.module(convert-dynbatch-kernel-to-gpu{tile-rows=16 tile-columns=8 tile-depth=2 threads=64},canonicalize,cse)" | FileCheck %s --check-prefix=TILES

ml_program.global private @W(#ml_program.extern : tensor<8x4xf32>) : tensor<8x4xf32>
ml_program.global private @U(#ml_program.extern : tensor<12x8xf32>) : tensor<12x8xf32>
ml_program.global private @b(#ml_program.extern : tensor<12xf32>) : tensor<12xf32>
ml_program.global private @V(#ml_program.extern : tensor<4x12xf32>) : tensor<4x12xf32>

// Elementwise: threads are spread over all elements, two each, as rows have no
// multiple of four. Scalars are in the table of pointers.

// CHECK-LABEL: dynbatch.kernel private @exp(index, !dynbatch.rows<tensor<6xf32>>, !dynbatch.rows<f32>, !dynbatch.rows<tensor<6xf32>>)
// CHECK-SAME: implementation = @exp_launch, row_scratch_bytes = 0 : i64, scratch_bytes = 0 : i64
// CHECK-LABEL: func.func private @exp_launch(
// CHECK-SAME: %[[ROWS:.*]]: !llvm.ptr, %[[COUNT:.*]]: i64, %[[SCRATCH:.*]]: !llvm.ptr, %[[PARAMS:.*]]: !llvm.ptr) {
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[PAIRS:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[N:.*]] = arith.index_cast %[[COUNT]] : i64 to index
// CHECK: %[[ALL:.*]] = arith.muli %[[N]], %[[PAIRS]]
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[ALL]], %[[THREADS]]
// CHECK: gpu.launch_func @kernels::@exp_0 blocks in (%[[BLOCKS]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS]], %[[ONE]], %[[ONE]])
// CHECK-SAME: args(%[[ROWS]] : !llvm.ptr, %[[COUNT]] : i64, %[[SCRATCH]] : !llvm.ptr, %[[PARAMS]] : !llvm.ptr)
// CHECK-NEXT: return

dynbatch.kernel private @exp(%n: index, %x: !dynbatch.rows<tensor<6xf32>>, %s: !dynbatch.rows<f32>, %r: !dynbatch.rows<tensor<6xf32>>)
    attributes {task_type = (tensor<6xf32>, f32) -> tensor<6xf32>} {
  %c0 = arith.constant 0 : index
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<6xf32>> -> tensor<?x6xf32>
  %S = dynbatch.gather %s[%c0, %n] : !dynbatch.rows<f32> -> tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x6xf32>
  %Y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%X, %S : tensor<?x6xf32>, tensor<?xf32>) outs(%e : tensor<?x6xf32>) {
  ^bb0(%a: f32, %f: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<?x6xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x6xf32>, !dynbatch.rows<tensor<6xf32>>
  dynbatch.return
}

// A contraction with what is made of its result.

// CHECK-LABEL: func.func private @cell_launch(
// CHECK: arith.ceildivui
// CHECK: gpu.launch_func @kernels::@cell_0
// CHECK-NOT: gpu.launch_func

dynbatch.kernel private @cell(%n: index, %x: !dynbatch.rows<tensor<8xf32>>, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = (tensor<8xf32>) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  %W = ml_program.global_load_const @W : tensor<8x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %Y = linalg.matmul ins(%X, %W : tensor<?x8xf32>, tensor<8x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  %Z = linalg.tanh ins(%Y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  dynbatch.scatter %Z into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}

// Two contractions into one accumulator, whose columns are three gates: one
// launch.

// CHECK-LABEL: func.func private @gates_launch(
// CHECK: gpu.launch_func @kernels::@gates_0
// CHECK-NOT: gpu.launch_func

dynbatch.kernel private @gates(%n: index, %x: !dynbatch.rows<tensor<8xf32>>, %y: !dynbatch.rows<tensor<8xf32>>, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = (tensor<8xf32>, tensor<8xf32>) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  %Y = dynbatch.gather %y[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  %U = ml_program.global_load_const @U : tensor<12x8xf32>
  %b = ml_program.global_load_const @b : tensor<12xf32>
  %e = tensor.empty(%n) : tensor<?x12xf32>
  %f = tensor.empty(%n) : tensor<?x4xf32>
  %B = linalg.broadcast ins(%b : tensor<12xf32>) outs(%e : tensor<?x12xf32>) dimensions = [0]
  %P = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%X, %U : tensor<?x8xf32>, tensor<12x8xf32>) outs(%B : tensor<?x12xf32>) -> tensor<?x12xf32>
  %Q = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%Y, %U : tensor<?x8xf32>, tensor<12x8xf32>) outs(%P : tensor<?x12xf32>) -> tensor<?x12xf32>
  %g0 = tensor.extract_slice %Q[0, 0] [%n, 4] [1, 1] : tensor<?x12xf32> to tensor<?x4xf32>
  %g1 = tensor.extract_slice %Q[0, 4] [%n, 4] [1, 1] : tensor<?x12xf32> to tensor<?x4xf32>
  %g2 = tensor.extract_slice %Q[0, 8] [%n, 4] [1, 1] : tensor<?x12xf32> to tensor<?x4xf32>
  %m = linalg.mul ins(%g0, %g1 : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = linalg.add ins(%m, %g2 : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  dynbatch.scatter %s into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}

// Steps with barriers. A point is a row of a task.

// CHECK-LABEL: func.func private @softmax_launch(
// CHECK-DAG: %[[POINTS:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[PER_BLOCK:.*]] = arith.constant 32 : index
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %[[POINTS]]
// CHECK: arith.ceildivui %[[ALL]], %[[PER_BLOCK]]
// CHECK: gpu.launch_func @kernels::@softmax_0
// CHECK-NOT: gpu.launch_func

dynbatch.kernel private @softmax(%n: index, %x: !dynbatch.rows<tensor<3x5xf32>>, %r: !dynbatch.rows<tensor<3x5xf32>>)
    attributes {task_type = (tensor<3x5xf32>) -> tensor<3x5xf32>} {
  %c0 = arith.constant 0 : index
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<3x5xf32>> -> tensor<?x3x5xf32>
  %e = tensor.empty(%n) : tensor<?x3x5xf32>
  %Y = linalg.softmax dimension(2) ins(%X : tensor<?x3x5xf32>) outs(%e : tensor<?x3x5xf32>) -> tensor<?x3x5xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x3x5xf32>, !dynbatch.rows<tensor<3x5xf32>>
  dynbatch.return
}

// A long reduction: threads of a warp exchange what they have.

// CHECK-LABEL: func.func private @mean_launch(
// CHECK: gpu.launch_func @kernels::@mean_0
// CHECK-NOT: gpu.launch_func

dynbatch.kernel private @mean(%n: index, %x: !dynbatch.rows<tensor<2x100xf32>>, %r: !dynbatch.rows<tensor<2x100xf32>>)
    attributes {task_type = (tensor<2x100xf32>) -> tensor<2x100xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<2x100xf32>> -> tensor<?x2x100xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %f = tensor.empty(%n) : tensor<?x2x100xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = linalg.reduce { arith.addf } ins(%X : tensor<?x2x100xf32>) outs(%z : tensor<?x2xf32>) dimensions = [2]
  %Y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%X, %s : tensor<?x2x100xf32>, tensor<?x2xf32>) outs(%f : tensor<?x2x100xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x2x100xf32>
  dynbatch.scatter %Y into %r[%c0] : tensor<?x2x100xf32>, !dynbatch.rows<tensor<2x100xf32>>
  dynbatch.return
}

// A concatenation is never stored for the contraction: it has a product for each
// piece. Both launches are independent.

// CHECK-LABEL: dynbatch.kernel private @concat(
// CHECK-SAME: row_scratch_bytes = 0 : i64
// CHECK-LABEL: func.func private @concat_launch(
// CHECK: gpu.launch_func @kernels::@concat_0
// CHECK: gpu.launch_func @kernels::@concat_1
// CHECK-NOT: gpu.launch_func

dynbatch.kernel private @concat(%n: index, %x: !dynbatch.rows<tensor<3xf32>>, %y: !dynbatch.rows<tensor<5xf32>>, %r: !dynbatch.rows<tensor<4xf32>>, %q: !dynbatch.rows<tensor<8xf32>>)
    attributes {task_type = (tensor<3xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<8xf32>)} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<3xf32>> -> tensor<?x3xf32>
  %Y = dynbatch.gather %y[%c0, %n] : !dynbatch.rows<tensor<5xf32>> -> tensor<?x5xf32>
  %C = tensor.concat dim(1) %X, %Y : (tensor<?x3xf32>, tensor<?x5xf32>) -> tensor<?x8xf32>
  %W = ml_program.global_load_const @W : tensor<8x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %P = linalg.matmul ins(%C, %W : tensor<?x8xf32>, tensor<8x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  dynbatch.scatter %P into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.scatter %C into %q[%c0] : tensor<?x8xf32>, !dynbatch.rows<tensor<8xf32>>
  dynbatch.return
}

// What lies between two launches is in scratch memory, for each row.

// CHECK-LABEL: dynbatch.kernel private @scratch(
// CHECK-SAME: row_scratch_bytes = 64 : i64, scratch_bytes = 0 : i64
// CHECK-LABEL: func.func private @scratch_launch(
// CHECK: gpu.launch_func @kernels::@scratch_0
// CHECK: gpu.launch_func @kernels::@scratch_1
// CHECK-NOT: gpu.launch_func

dynbatch.kernel private @scratch(%n: index, %x: !dynbatch.rows<tensor<8xf32>>, %r: !dynbatch.rows<tensor<12xf32>>)
    attributes {task_type = (tensor<8xf32>) -> tensor<12xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<8xf32>> -> tensor<?x8xf32>
  %W = ml_program.global_load_const @W : tensor<8x4xf32>
  %V = ml_program.global_load_const @V : tensor<4x12xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %Y = linalg.matmul ins(%X, %W : tensor<?x8xf32>, tensor<8x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  %T = linalg.tanh ins(%Y : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %f = tensor.empty(%n) : tensor<?x12xf32>
  %y = linalg.fill ins(%zero : f32) outs(%f : tensor<?x12xf32>) -> tensor<?x12xf32>
  %Z = linalg.matmul ins(%T, %V : tensor<?x4xf32>, tensor<4x12xf32>) outs(%y : tensor<?x12xf32>) -> tensor<?x12xf32>
  dynbatch.scatter %Z into %r[%c0] : tensor<?x12xf32>, !dynbatch.rows<tensor<12xf32>>
  dynbatch.return
}

// Nothing to store, nothing to launch.

// CHECK-LABEL: func.func private @nothing_launch(
// CHECK-NOT: gpu.launch_func
// CHECK: return

dynbatch.kernel private @nothing(%n: index, %x: !dynbatch.rows<tensor<0xf32>>, %r: !dynbatch.rows<tensor<0xf32>>)
    attributes {task_type = (tensor<0xf32>) -> tensor<0xf32>} {
  %c0 = arith.constant 0 : index
  %X = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<0xf32>> -> tensor<?x0xf32>
  dynbatch.scatter %X into %r[%c0] : tensor<?x0xf32>, !dynbatch.rows<tensor<0xf32>>
  dynbatch.return
}

// CHECK: gpu.module @kernels {

// CHECK-LABEL: gpu.func @exp_0(
// CHECK-SAME: %[[ROWS:.*]]: !llvm.ptr, %[[COUNT:.*]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) kernel attributes {known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: %[[TABLE:.*]] = memref.reinterpret_cast %{{.*}} : memref<1x3xi64, 1> to memref<?x3xi64, 1>
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult
// CHECK: scf.if %[[EXISTS]] {
// CHECK: %[[TASK:.*]] = arith.divui
// CHECK: memref.load %[[TABLE]][%[[TASK]], %{{.*}}] {alignment = 8 : i64}
// CHECK: %[[X:.*]] = vector.load %{{.*}} {alignment = 8 : i64} : memref<6xf32, 1>, vector<2xf32>
// CHECK-COUNT-2: math.exp
// CHECK: vector.store %{{.*}} {alignment = 8 : i64} : memref<6xf32, 1>, vector<2xf32>

// CHECK-LABEL: gpu.func @cell_0(
// CHECK-SAME: workgroup(%[[LHS:.*]] : memref<2x8x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[RHS:.*]] : memref<2x8x8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK: vector.load %{{.*}} : memref<8xf32, 1>, vector<4xf32>
// CHECK: vector.load %{{.*}} : memref<8x4xf32, 1>, vector<4xf32>
// CHECK: vector.store %{{.*}}, %[[RHS]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-32: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.if
// CHECK-COUNT-4: math.tanh
// CHECK: vector.store %{{.*}} : memref<4xf32, 1>, vector<4xf32>

// TILES-LABEL: gpu.func @cell_0(
// TILES-SAME: memref<2x2x20xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<2x2x8xf32, #gpu.address_space<workgroup>>
// TILES-SAME: known_block_size = array<i32: 16, 1, 1>
// TILES: gpu.barrier
// TILES: scf.for
// TILES-COUNT-8: math.fma
// TILES-NOT: math.fma
// TILES: gpu.barrier
// TILES: scf.yield
// TILES-NOT: math.fma
// TILES: gpu.return

// The second product waits until all threads are done with the first one's
// tiles. A thread has a column of each gate.
// CHECK-LABEL: gpu.func @gates_0(
// CHECK-SAME: memref<2x8x68xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %{{.*}} : memref<2x8x16xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK-NOT: gpu.barrier
// CHECK: arith.mulf
// CHECK: arith.addf

// CHECK-LABEL: gpu.func @softmax_0(
// CHECK-SAME: workgroup(%[[MAX:.*]] : memref<32xf32, #gpu.address_space<workgroup>> {{.*}}, %[[EXP:.*]] : memref<32x5xf32, #gpu.address_space<workgroup>> {{.*}}, %[[SUM:.*]] : memref<32xf32
// CHECK: arith.maxnumf
// CHECK: memref.store %{{.*}}, %[[MAX]]
// CHECK: gpu.barrier
// CHECK: math.exp
// CHECK: memref.store %{{.*}}, %[[EXP]]
// CHECK: gpu.barrier
// CHECK: arith.addf
// CHECK: memref.store %{{.*}}, %[[SUM]]
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK: memref.store %{{.*}} : memref<3x5xf32, 1>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return

// CHECK-LABEL: gpu.func @mean_0(
// CHECK-SAME: workgroup(%[[SUM:.*]] : memref<2xf32, #gpu.address_space<workgroup>> {{.*}}, %[[PARTS:.*]] : memref<2x4xf32
// CHECK: scf.for
// CHECK: arith.addf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: gpu.barrier
// CHECK: vector.load %{{.*}} : memref<2x100xf32, 1>, vector<4xf32>
// CHECK: memref.load %[[SUM]]
// CHECK-COUNT-4: arith.subf

// CHECK-LABEL: gpu.func @concat_0(
// CHECK: memref<3xf32, 1>
// CHECK: math.fma
// CHECK: memref<5xf32, 1>
// CHECK: math.fma
// CHECK: gpu.return

// CHECK-LABEL: gpu.func @concat_1(
// CHECK: scf.if
// CHECK: scf.if
// CHECK: memref.load %{{.*}} : memref<3xf32, 1>
// CHECK: else
// CHECK: memref.load %{{.*}} : memref<5xf32, 1>

// CHECK-LABEL: gpu.func @scratch_0(
// CHECK: math.tanh
// CHECK: vector.store %{{.*}} : memref<?x4xf32, 1>, vector<4xf32>
// CHECK-LABEL: gpu.func @scratch_1(
// CHECK: vector.load %{{.*}} : memref<?x4xf32, 1>, vector<4xf32>

// CHECK-NOT: gpu.func @nothing
