// RUN: dynbatch-opt %s --allow-unregistered-dialect --convert-dynbatch-gpu-to-simt --canonicalize --cse --split-input-file | FileCheck %s

// A launch: sizes, memory, and the arguments in a block on the stack.

// CHECK: llvm.func @dynbatch_rt_simt_launch(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i64, i64, i64, i64)
// CHECK: llvm.mlir.global internal constant @[[NAME:.*]]("empty\00")
// CHECK-NOT: gpu.
// CHECK: func.func private @kernels_empty_simt(%{{.*}}: !llvm.ptr, %{{.*}}: memref<4xf32>, %{{.*}}: index, %{{.*}}: !llvm.ptr) {
// CHECK-NEXT: return
// CHECK: func.func private @kernels_empty_simt_thread(%[[THREAD:.*]]: !llvm.ptr, %[[BLOCK:.*]]: !llvm.ptr) {
// CHECK: %[[ARGUMENTS:.*]] = llvm.load %[[BLOCK]] : !llvm.ptr -> !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, i64, ptr)>
// CHECK: %[[FIELD:.*]] = llvm.extractvalue %[[ARGUMENTS]][0]
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %[[FIELD]] : {{.*}} to memref<4xf32>
// CHECK: call @kernels_empty_simt(%[[THREAD]], %[[X]], %{{.*}}, %{{.*}})

// CHECK: func.func private @empty_launch(
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[C100:.*]] = arith.constant 100 : i64
// CHECK-DAG: %[[STATIC:.*]] = arith.constant 192 : i64
// CHECK-DAG: %[[TEXT:.*]] = llvm.mlir.addressof @[[NAME]] :
// CHECK-DAG: %[[FUNCTION:.*]] = constant @kernels_empty_simt_thread
// CHECK: %[[SLOT:.*]] = llvm.alloca
// CHECK: scf.for
// CHECK: llvm.store %{{.*}}, %[[SLOT]]
// CHECK: %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[FUNCTION]]
// CHECK: llvm.call @dynbatch_rt_simt_launch(%[[TEXT]], %[[POINTER]], %[[SLOT]], %{{.*}}, %{{.*}}, %{{.*}}, %[[C64]], %{{.*}}, %{{.*}}, %[[STATIC]], %[[C100]])
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @empty(%x: memref<4xf32>, %n: index, %p: !llvm.ptr)
        workgroup(%a: memref<17xf32, #gpu.address_space<workgroup>>, %b: memref<3xi8, 3>) kernel {
      gpu.return
    }
  }
  func.func private @empty_launch(%x: memref<4xf32>, %n: index, %p: !llvm.ptr) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %bytes = arith.constant 100 : i32
    scf.for %i = %zero to %n step %one {
      gpu.launch_func @kernels::@empty blocks in (%n, %one, %one) threads in (%threads, %one, %one)
        dynamic_shared_memory_size %bytes args(%x : memref<4xf32>, %n : index, %p : !llvm.ptr)
    }
    return
  }
}

// -----

// Ids and sizes are fields of what the runtime says about the thread.

// CHECK-LABEL: func.func private @kernels_ids_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr,
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[P0:.*]] = llvm.getelementptr %[[THREAD]][8] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[V0:.*]] = llvm.load %[[P0]] invariant
// CHECK: %[[THREAD_Y:.*]] = arith.index_cast %[[V0]]
// CHECK: llvm.getelementptr %[[THREAD]][24]
// CHECK: llvm.getelementptr %[[THREAD]][64]
// CHECK: llvm.getelementptr %[[THREAD]][72]
// CHECK: llvm.getelementptr %[[THREAD]][96]
// CHECK: llvm.getelementptr %[[THREAD]][104]
// CHECK: llvm.getelementptr %[[THREAD]][112]
// CHECK: "test.use"(%[[THREAD_Y]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[C32]])
gpu.module @kernels {
  gpu.func @ids(%n: index) kernel {
    %0 = gpu.thread_id y
    %1 = gpu.block_id x
    %2 = gpu.block_dim z
    %3 = gpu.grid_dim x
    %4 = gpu.lane_id
    %5 = gpu.subgroup_id : index
    %6 = gpu.num_subgroups : index
    %7 = gpu.subgroup_size : index
    "test.use"(%0, %1, %2, %3, %4, %5, %6, %7) : (index, index, index, index, index, index, index, index) -> ()
    gpu.return
  }
}

// -----

// There is one address space. Accesses are checked; indices that are known are
// not.

// CHECK: llvm.mlir.global internal constant @[[OWN_STORE:.*]]("{{.*}}gpu-to-simt.mlir{{.*}}:5: 'memref.store'\00")
// CHECK: llvm.mlir.global internal constant @[[STORE:.*]]("{{.*}}gpu-to-simt.mlir{{.*}}:5: 'memref.store'\00")
// CHECK: llvm.mlir.global internal constant @[[LOAD:.*]]("{{.*}}gpu-to-simt.mlir{{.*}}:10: 'vector.load'\00")
// CHECK-LABEL: func.func private @kernels_memory_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[X:.*]]: memref<?x8xf32>, %[[I:.*]]: index)
// CHECK-DAG: %[[OF_STORE:.*]] = llvm.mlir.addressof @[[STORE]] :
// CHECK-DAG: %[[WHAT:.*]] = llvm.mlir.addressof @[[LOAD]] :
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i64
// CHECK: %[[WORKGROUP:.*]] = llvm.getelementptr %[[THREAD]][120]
// CHECK: %[[TILE:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<8xf32>
// CHECK: %[[OWN:.*]] = memref.alloca() : memref<2xf32>
// CHECK-NOT: memory_space_cast
// CHECK: %[[ROWS:.*]] = memref.dim %[[X]]
// CHECK-DAG: %[[INDEX:.*]] = arith.index_cast %[[I]]
// CHECK-DAG: %[[SIZE:.*]] = arith.index_cast %[[ROWS]]
// CHECK: llvm.call @dynbatch_rt_simt_check_index(%[[THREAD]], %[[WHAT]], %[[C0]], %[[INDEX]], %[[C1]], %[[SIZE]])
// CHECK: llvm.call @dynbatch_rt_simt_check_index(%[[THREAD]], %[[WHAT]], %[[C1]], %[[INDEX]], %[[C4]], %[[C8]])
// CHECK: llvm.call @dynbatch_rt_simt_access(%[[THREAD]], %[[WHAT]], %{{.*}}, %{{.*}}, %[[C16]], %[[C4]])
// CHECK: vector.load %[[X]][%[[I]], %[[I]]]
// CHECK-NOT: check_index
// CHECK: llvm.call @dynbatch_rt_simt_access(%[[THREAD]], %[[OF_STORE]]
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: llvm.call @dynbatch_rt_simt_access(%[[THREAD]], %{{.*}}, %{{.*}}, %{{.*}}, %[[C4]], %[[C8]])
// CHECK: memref.store %{{.*}}, %[[OWN]]
gpu.module @kernels {
  gpu.func @memory(%host: memref<?x8xf32>, %i: index)
      workgroup(%tile: memref<8xf32, 3>) private(%own: memref<2xf32, 5>) kernel {
    %c1 = arith.constant 1 : index
    %x = memref.memory_space_cast %host : memref<?x8xf32> to memref<?x8xf32, #gpu.address_space<global>>
    %v = vector.load %x[%i, %i] : memref<?x8xf32, #gpu.address_space<global>>, vector<4xf32>
    %e = vector.extract %v[3] : f32 from vector<4xf32>
    memref.store %e, %tile[%c1] : memref<8xf32, 3>
    memref.store %e, %own[%c1] {alignment = 8 : i64} : memref<2xf32, 5>
    "test.use"(%own) : (memref<2xf32, 5>) -> ()
    gpu.return
  }
}

// -----

// Barriers are told apart though they have one place.

// CHECK: llvm.mlir.global internal constant @[[SECOND:.*]]("here.mlir:1:2: 'gpu.barrier'\00")
// CHECK: llvm.mlir.global internal constant @[[FIRST:.*]]("here.mlir:1:2: 'gpu.barrier'\00")
// CHECK-LABEL: func.func private @kernels_barriers_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr)
// CHECK-DAG: %[[A:.*]] = llvm.mlir.addressof @[[FIRST]] :
// CHECK-DAG: %[[B:.*]] = llvm.mlir.addressof @[[SECOND]] :
// CHECK: llvm.call @dynbatch_rt_simt_barrier(%[[THREAD]], %[[A]])
// CHECK: "test.between"
// CHECK: llvm.call @dynbatch_rt_simt_barrier(%[[THREAD]], %[[B]])
gpu.module @kernels {
  gpu.func @barriers() kernel {
    gpu.barrier loc("here.mlir":1:2)
    "test.between"() : () -> ()
    gpu.barrier loc("here.mlir":1:2)
    gpu.return
  }
}

// -----

// Values are exchanged as 64 bits.

// CHECK-LABEL: func.func private @kernels_shuffles_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[F:.*]]: f32, %[[L:.*]]: i64, %[[H:.*]]: vector<2xf16>, %[[N:.*]]: i32)
// CHECK-DAG: %[[XOR:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[DOWN:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[UP:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[IDX:.*]] = arith.constant 3 : i32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[F]] : f32 to i32
// CHECK: %[[WORD:.*]] = arith.extui %[[BITS]] : i32 to i64
// CHECK: %[[PAIR:.*]] = llvm.call @dynbatch_rt_simt_shuffle(%[[THREAD]], %{{.*}}, %[[XOR]], %[[WORD]], %[[N]], %[[N]])
// CHECK: llvm.extractvalue %[[PAIR]][1]
// CHECK: llvm.extractvalue %[[PAIR]][0]
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.call @dynbatch_rt_simt_shuffle(%[[THREAD]], %{{.*}}, %[[DOWN]], %[[L]], %[[N]], %[[N]])
// CHECK: vector.bitcast %[[H]] : vector<2xf16> to vector<1xi32>
// CHECK: llvm.call @dynbatch_rt_simt_shuffle(%[[THREAD]], %{{.*}}, %[[UP]]
// CHECK: vector.bitcast %{{.*}} : vector<1xi32> to vector<2xf16>
// CHECK: llvm.call @dynbatch_rt_simt_shuffle(%[[THREAD]], %{{.*}}, %[[IDX]]
gpu.module @kernels {
  gpu.func @shuffles(%f: f32, %l: i64, %h: vector<2xf16>, %n: i32) kernel {
    %0, %v0 = gpu.shuffle xor %f, %n, %n : f32
    %1, %v1 = gpu.shuffle down %l, %n, %n : i64
    %2, %v2 = gpu.shuffle up %h, %n, %n : vector<2xf16>
    %3, %v3 = gpu.shuffle idx %n, %n, %n : i32
    "test.use"(%0, %v0, %1, %v1, %2, %v2, %3, %v3) : (f32, i1, i64, i1, vector<2xf16>, i1, i32, i1) -> ()
    gpu.return
  }
}

// -----

// Fragments are passed in memory that is allocated once.

// CHECK-LABEL: func.func private @kernels_mma_simt(
// CHECK-SAME: %[[THREAD:.*]]: !llvm.ptr, %[[A:.*]]: vector<4x2xf16>, %[[B:.*]]: vector<2x2xf16>, %[[C:.*]]: vector<2x2xf32>
// CHECK-DAG: %[[F16:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[K:.*]] = arith.constant 16 : i32
// CHECK-COUNT-4: llvm.alloca
// CHECK: scf.for
// CHECK-NOT: llvm.alloca
// CHECK: llvm.call @dynbatch_rt_simt_mma(%[[THREAD]], %{{.*}}, %[[F16]], %[[K]], %{{.*}}, %{{.*}}, %{{.*}}, %[[D:.*]]) :
// CHECK: llvm.load %[[D]] : !llvm.ptr -> vector<4xf32>
gpu.module @kernels {
  gpu.func @mma(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> vector<2x2xf32> {
      %d = nvgpu.mma.sync(%a, %b, %acc) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      scf.yield %d : vector<2x2xf32>
    }
    "test.use"(%r) : (vector<2x2xf32>) -> ()
    gpu.return
  }
}

// -----

// What the checks know nothing of is taken apart first: reductions, copies,
// transfers, masks.

// CHECK-LABEL: func.func private @kernels_expand_simt(
// CHECK-COUNT-5: llvm.call @dynbatch_rt_simt_shuffle
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
// CHECK: vector.load %{{.*}} : memref<4x8xf32>, vector<8xf32>
// CHECK: scf.if
// CHECK: memref.load
// CHECK-NOT: vector.transfer_read
// CHECK-NOT: vector.maskedload
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
gpu.module @kernels {
  gpu.func @expand(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %i: index, %v: f32) workgroup(%t: memref<64xf32, 3>) kernel {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %sum = gpu.subgroup_reduce add %v : (f32) -> f32
    memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
    %inside = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<4x8xf32>, vector<8xf32>
    %perhaps = vector.transfer_read %x[%i, %i], %zero : memref<4x8xf32>, vector<4xf32>
    %copy = nvgpu.device_async_copy %x[%i, %c0], %t[%i], 4 : memref<4x8xf32> to memref<64xf32, 3>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    "test.use"(%sum, %inside, %perhaps) : (f32, vector<8xf32>, vector<4xf32>) -> ()
    gpu.return
  }
}

// -----

// Constants are the host module's.

// CHECK: memref.global "private" constant @kernels_weights : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]>
// CHECK-LABEL: func.func private @kernels_constants_simt(
// CHECK: %[[WEIGHTS:.*]] = memref.get_global @kernels_weights
// CHECK: memref.load %[[WEIGHTS]]
gpu.module @kernels {
  memref.global "private" constant @weights : memref<2xf32> = dense<[1.0, 2.0]>
  gpu.func @constants(%i: index) kernel {
    %weights = memref.get_global @weights : memref<2xf32>
    %w = memref.load %weights[%i] : memref<2xf32>
    "test.use"(%w) : (f32) -> ()
    gpu.return
  }
}
