// RUN: dynbatch-opt %s --convert-dynbatch-to-llvm -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=HELPERS < %t
// RUN: FileCheck %s --check-prefix=DESCRIPTOR < %t

// Kernels in their order; stages in the order of execution.
// DESCRIPTOR: dynbatch_descriptor("
// DESCRIPTOR-SAME: \22kernels\22:[{\22flops\22:8,\22location\22:\22{{[^,]*}}dynbatch-to-llvm-tasks.mlir:[[#@LINE+8]]:1\22,\22name\22:\22cell\22,\22operands\22:2,\22order_by\22:1,\22result_bytes\22:128,\22row_scratch_bytes\22:32,\22row_words\22:3,\22scratch_bytes\22:256,\22stage\22:1},
// DESCRIPTOR-SAME: {\22flops\22:0,{{[^}]*}}\22name\22:\22scalars\22,\22operands\22:7,\22result_bytes\22:64,\22row_scratch_bytes\22:0,\22row_words\22:8,\22scratch_bytes\22:0,\22stage\22:0},
// DESCRIPTOR-SAME: {\22flops\22:0,{{[^}]*}}\22name\22:\22nothing\22,\22operands\22:0,\22result_bytes\22:0,\22row_scratch_bytes\22:0,\22row_words\22:1,\22scratch_bytes\22:0,\22stage\22:2},
// DESCRIPTOR-SAME: {\22flops\22:0,{{[^}]*}}\22name\22:\22several\22,\22operands\22:1,\22result_bytes\22:192,\22row_scratch_bytes\22:0,\22row_words\22:2,\22scratch_bytes\22:0,\22stage\22:1}],
// DESCRIPTOR-SAME: \22name\22:\22main\22,
// DESCRIPTOR-SAME: \22params\22:[{\22derived\22:false,\22name\22:\22W\22,\22type\22:{\22dtype\22:\22f32\22,\22kind\22:\22tensor\22,\22shape\22:[2,2]}},{\22derived\22:true,\22name\22:\22W_sum\22,
// DESCRIPTOR-SAME: \22stages\22:[{\22cyclic\22:false,\22kernels\22:[1]},{\22cyclic\22:true,\22kernels\22:[0,3]},{\22cyclic\22:false,\22kernels\22:[2]}]

dynbatch.kernel private @cell(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<20xf32>>, !dynbatch.rows<tensor<20xf32>>) attributes {cyclic, flops = 8 : i64, stage = 1 : i64, implementation = @impl, order_by = 1 : i64, row_scratch_bytes = 32 : i64, scratch_bytes = 256 : i64, task_type = (tensor<4xf32>, tensor<20xf32>) -> tensor<20xf32>}
dynbatch.kernel private @scalars(index, !dynbatch.rows<i1>, !dynbatch.rows<i8>, !dynbatch.rows<i32>, !dynbatch.rows<i64>, !dynbatch.rows<index>, !dynbatch.rows<f16>, !dynbatch.rows<f64>, !dynbatch.rows<tensor<4xf32>>) attributes {stage = 0 : i64, implementation = @impl, task_type = (i1, i8, i32, i64, index, f16, f64) -> tensor<4xf32>}
dynbatch.kernel private @nothing(index) attributes {stage = 2 : i64, implementation = @impl, task_type = () -> ()}
dynbatch.kernel private @several(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<4xi1>>, !dynbatch.rows<tensor<0xf32>>, !dynbatch.rows<tensor<f64>>) attributes {cyclic, stage = 1 : i64, implementation = @impl, task_type = (tensor<4xf32>) -> (tensor<4xi1>, tensor<0xf32>, tensor<f64>)}
func.func private @impl(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
ml_program.global private @W(#ml_program.extern<tensor<2x2xf32>>) : tensor<2x2xf32>
ml_program.global private @W_sum(#ml_program.extern<tensor<2x2xf32>>) : tensor<2x2xf32>

// A forced read flushes if the tensor is pending, checks every index, and loads.
// HELPERS-LABEL: llvm.func internal @dynbatch_force(
// HELPERS-SAME: %[[CTX:.*]]: !llvm.ptr, %[[STAMP:.*]]: i64)
// HELPERS: %[[SHIFT:.*]] = llvm.mlir.constant(52 : i64)
// HELPERS: %[[EPOCH:.*]] = llvm.load
// HELPERS-DAG: %[[A:.*]] = llvm.lshr %[[STAMP]], %[[SHIFT]]
// HELPERS-DAG: %[[B:.*]] = llvm.lshr %[[EPOCH]], %[[SHIFT]]
// HELPERS: llvm.icmp "eq" %[[A]], %[[B]]
// HELPERS: llvm.call @dynbatch_rt_flush(%[[CTX]])

// Enqueue: a row of the bucket of (kernel, depth), or of a new one; then a
// result block in the arena.
// HELPERS-LABEL: llvm.func internal @dynbatch_enqueue_scalars(
// HELPERS-SAME: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) -> i64
// HELPERS: llvm.func @dynbatch_rt_reserve(!llvm.ptr, i64, i64) -> !llvm.ptr
// HELPERS-LABEL: llvm.func internal @dynbatch_enqueue_cell(
// HELPERS-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[DEPTH:[^:]*]]: i64, %[[A:[^:]*]]: i64, %[[B:[^:]*]]: i64) -> i64
// HELPERS: %[[QFIELD:.*]] = llvm.getelementptr %[[CTX]][32]
// HELPERS: %[[QUEUE:.*]] = llvm.load %[[QFIELD]]
// HELPERS: %[[NFIELD:.*]] = llvm.getelementptr %[[QUEUE]][8]
// HELPERS: %[[N:.*]] = llvm.load %[[NFIELD]]
// HELPERS: %[[EXISTS:.*]] = llvm.icmp "ult" %[[DEPTH]], %[[N]]
// HELPERS: llvm.cond_br %[[EXISTS]], ^[[FOUND:.*]], ^[[SLOW:.*]]{{$}}
// HELPERS: ^[[FOUND]]:
// HELPERS: %[[BUCKETS:.*]] = llvm.load %[[QUEUE]]
// HELPERS: %[[BUCKET:.*]] = llvm.getelementptr %[[BUCKETS]][%[[DEPTH]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<24 x i8>
// HELPERS: %[[CURSOR:.*]] = llvm.load %[[BUCKET]]
// HELPERS: %[[NEXT:.*]] = llvm.getelementptr %[[CURSOR]][24]
// HELPERS: %[[EFIELD:.*]] = llvm.getelementptr %[[BUCKET]][8]
// HELPERS: %[[END:.*]] = llvm.load %[[EFIELD]]
// HELPERS: %[[FULL:.*]] = llvm.icmp "ugt" %[[NEXT]], %[[END]]
// HELPERS: llvm.cond_br %[[FULL]], ^[[SLOW]], ^[[TAKE:.*]]{{$}}
// HELPERS: ^[[SLOW]]:
// HELPERS: %[[KERNEL:.*]] = llvm.mlir.constant(0 : i64)
// HELPERS: %[[NEW:.*]] = llvm.call @dynbatch_rt_reserve(%[[CTX]], %[[KERNEL]], %[[DEPTH]])
// HELPERS: llvm.br ^[[WRITE:.*]](%[[NEW]] : !llvm.ptr)
// HELPERS: ^[[TAKE]]:
// HELPERS: llvm.store %[[NEXT]], %[[BUCKET]]
// HELPERS: llvm.br ^[[WRITE]](%[[CURSOR]] : !llvm.ptr)
// HELPERS: ^[[WRITE]](%[[ROW:.*]]: !llvm.ptr):
// HELPERS: llvm.store %[[A]], %[[ROW]]
// HELPERS: %[[SECOND:.*]] = llvm.getelementptr %[[ROW]][8]
// HELPERS: llvm.store %[[B]], %[[SECOND]]
// HELPERS: %[[BYTES:.*]] = llvm.mlir.constant(128 : i64)
// HELPERS: %[[ARENA:.*]] = llvm.load %[[CTX]]
// HELPERS: llvm.getelementptr %[[ARENA]][%[[BYTES]]]
// HELPERS: llvm.getelementptr %[[CTX]][8]
// HELPERS: llvm.call @dynbatch_rt_arena_alloc(%[[CTX]], %[[BYTES]])
// HELPERS: %[[BLOCK:.*]] = llvm.ptrtoint
// HELPERS: %[[LAST:.*]] = llvm.getelementptr %[[ROW]][16]
// HELPERS: llvm.store %[[BLOCK]], %[[LAST]]
// HELPERS: llvm.return %[[BLOCK]]

// The stamp: epoch, stage, depth.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[X:[^:]*]]: !llvm.struct<(i64, i64)>, %[[Y:[^:]*]]: !llvm.struct<(i64, i64)>, %[[D:[^:]*]]: index)
// CHECK: %[[DEPTH:.*]] = arith.index_cast %[[D]] : index to i64
// CHECK: %[[A:.*]] = llvm.extractvalue %[[X]][0]
// CHECK: %[[B:.*]] = llvm.extractvalue %[[Y]][0]
// CHECK: %[[BLOCK:.*]] = llvm.call @dynbatch_enqueue_cell(%[[CTX]], %[[DEPTH]], %[[A]], %[[B]])
// CHECK: %[[EPOCHFIELD:.*]] = llvm.getelementptr %[[CTX]][48]
// CHECK: %[[EPOCH:.*]] = llvm.load %[[EPOCHFIELD]] : !llvm.ptr -> i64
// CHECK: %[[STAGE:.*]] = llvm.mlir.constant(1099511627776 : i64)
// CHECK: %[[BASE:.*]] = arith.ori %[[EPOCH]], %[[STAGE]]
// CHECK: %[[STAMP:.*]] = arith.ori %[[BASE]], %[[DEPTH]]
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[ADDRESS:.*]] = arith.addi %[[BLOCK]], %[[ZERO]]
// CHECK: %[[PAIR:.*]] = llvm.insertvalue %[[ADDRESS]], %{{.*}}[0]
// CHECK: %[[HANDLE:.*]] = llvm.insertvalue %[[STAMP]], %[[PAIR]][1]
// CHECK: return %[[HANDLE]]
func.func @main(%ctx: !llvm.ptr, %x: tensor<4xf32>, %y: tensor<20xf32>, %d: index) -> tensor<20xf32> attributes {dynbatch.entry} {
  %0 = dynbatch.enqueue @cell(%x, %y) depth(%d) : (tensor<4xf32>, tensor<20xf32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// Without a depth: bucket 0. Scalars travel in the row itself.
// CHECK-LABEL: func.func private @scalar_operands(
// CHECK: %[[DEPTH:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG: arith.extui %{{.*}} : i1 to i64
// CHECK-DAG: arith.extui %{{.*}} : i8 to i64
// CHECK-DAG: arith.extui %{{.*}} : i32 to i64
// CHECK-DAG: arith.index_cast %{{.*}} : index to i64
// CHECK-DAG: arith.bitcast %{{.*}} : f16 to i16
// CHECK-DAG: arith.extui %{{.*}} : i16 to i64
// CHECK-DAG: arith.bitcast %{{.*}} : f64 to i64
// CHECK: llvm.call @dynbatch_enqueue_scalars(%{{.*}}, %[[DEPTH]], {{.*}}) : (!llvm.ptr, i64, i64, i64, i64, i64, i64, i64, i64) -> i64
// CHECK: %[[STAGE:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: arith.ori %{{.*}}, %[[STAGE]]
func.func private @scalar_operands(%ctx: !llvm.ptr, %a: i1, %b: i8, %c: i32, %d: i64, %e: index, %f: f16, %g: f64) -> tensor<4xf32> {
  %0 = dynbatch.enqueue @scalars(%a, %b, %c, %d, %e, %f, %g) : (i1, i8, i32, i64, index, f16, f64) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Every result is aligned, and one without elements has an address of its own.
// CHECK-LABEL: func.func private @several_results(
// CHECK: %[[BLOCK:.*]] = llvm.call @dynbatch_enqueue_several(
// CHECK: %[[O0:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: arith.addi %[[BLOCK]], %[[O0]]
// CHECK: %[[O1:.*]] = llvm.mlir.constant(64 : i64)
// CHECK: arith.addi %[[BLOCK]], %[[O1]]
// CHECK: %[[O2:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: arith.addi %[[BLOCK]], %[[O2]]
// CHECK: llvm.call @dynbatch_enqueue_nothing(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> i64
func.func private @several_results(%ctx: !llvm.ptr, %x: tensor<4xf32>, %d: index) -> (tensor<4xi1>, tensor<0xf32>, tensor<f64>) {
  %0:3 = dynbatch.enqueue @several(%x) depth(%d) : (tensor<4xf32>) -> (tensor<4xi1>, tensor<0xf32>, tensor<f64>)
  dynbatch.enqueue @nothing() : () -> ()
  return %0#0, %0#1, %0#2 : tensor<4xi1>, tensor<0xf32>, tensor<f64>
}

// The depth is the stamp's low half if its high half is this flush and stage.
// CHECK-LABEL: func.func private @depth(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[X:.*]]: !llvm.struct<(i64, i64)>)
// CHECK: %[[STAMP:.*]] = llvm.extractvalue %[[X]][1]
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CTX]][48]
// CHECK: %[[EPOCH:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[STAGE:.*]] = llvm.mlir.constant(3298534883328 : i64)
// CHECK: %[[BASE:.*]] = arith.ori %[[EPOCH]], %[[STAGE]]
// CHECK: %[[REST:.*]] = arith.xori %[[STAMP]], %[[BASE]]
// CHECK: %[[LIMIT:.*]] = llvm.mlir.constant(1099511627776 : i64)
// CHECK: %[[PENDING:.*]] = arith.cmpi ult, %[[REST]], %[[LIMIT]]
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[DEPTH:.*]] = arith.select %[[PENDING]], %[[REST]], %[[ZERO]]
// CHECK: arith.index_cast %[[DEPTH]] : i64 to index
func.func private @depth(%ctx: !llvm.ptr, %x: tensor<4xf32>) -> index {
  %0 = dynbatch.depth %x in 3 : tensor<4xf32>
  return %0 : index
}

// CHECK-LABEL: func.func private @read(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[I:.*]]: index, %[[T:.*]]: !llvm.struct<(i64, i64)>, %[[Z:.*]]: !llvm.struct<(i64, i64)>)
// CHECK: %[[STAMP:.*]] = llvm.extractvalue %[[T]][1]
// CHECK: llvm.call @dynbatch_force(%[[CTX]], %[[STAMP]])
// CHECK: %[[ROWS:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: llvm.call @dynbatch_check_index(%[[CTX]], %{{.*}}, %{{.*}}, %[[ROWS]])
// CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: llvm.call @dynbatch_check_index(%[[CTX]], %{{.*}}, %{{.*}}, %[[COLUMNS]])
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<1 x i8>
// CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[BIT:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK: %[[ZSTAMP:.*]] = llvm.extractvalue %[[Z]][1]
// CHECK: llvm.call @dynbatch_force(%[[CTX]], %[[ZSTAMP]])
// CHECK-NOT: dynbatch_check_index
// CHECK: %[[FLOAT:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: return %[[BIT]], %[[FLOAT]]
func.func private @read(%ctx: !llvm.ptr, %i: index, %t: tensor<3x2xi1>, %z: tensor<f32>) -> (i1, f32) {
  %a = dynbatch.read %t[%i, %i] : tensor<3x2xi1>
  %b = dynbatch.read %z[] : tensor<f32>
  return %a, %b : i1, f32
}

// The prologue has buffers whatever host code has: it computes, and stores into
// the storage of the derived parameter.
// CHECK-LABEL: func.func private @prologue(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr) attributes {dynbatch.prologue}
// CHECK-DAG: %[[W:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2x2xf32> to tensor<2x2xf32>
// CHECK-DAG: %[[TARGET:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<2x2xf32>
// CHECK: %[[SUM:.*]] = linalg.add ins(%[[W]], %{{.*}} : tensor<2x2xf32>, tensor<2x2xf32>)
// CHECK: bufferization.materialize_in_destination %[[SUM]] in restrict writable %{{.*}} : (tensor<2x2xf32>, memref<2x2xf32>) -> ()
func.func private @prologue(%ctx: !llvm.ptr) attributes {dynbatch.prologue} {
  %W = ml_program.global_load_const @W : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %s = linalg.add ins(%W, %W : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  dynbatch.define @W_sum = %s : tensor<2x2xf32>
  return
}
