// RUN: dynbatch-opt %s --convert-dynbatch-to-llvm -o %t
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=HELPERS < %t
// RUN: FileCheck %s --check-prefix=GLOBALS < %t

dynbatch.adt @All {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(i1, i8, i32, i64, index, f16, f32, f64, tensor<2xf32>, !dynbatch.adt<@All>, !dynbatch.seq<i1>)
}
ml_program.global private @U(#ml_program.extern<tensor<3xf32>>) : tensor<3xf32>
ml_program.global private @W(#ml_program.extern<tensor<3x5xf16>>) : tensor<3x5xf16>

// Errors carry the place of the op.
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}("{{.*}}dynbatch-to-llvm-data.mlir:{{[0-9]+}}:8: get\00")
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}("{{.*}}dynbatch-to-llvm-data.mlir:{{[0-9]+}}:8: lookup\00")
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}("{{.*}}dynbatch-to-llvm-data.mlir:{{[0-9]+}}:3: must hold\00")
// Tensor constants: aligned, an i1 is a byte, an index 64 bits, and what is empty may be anything.
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}(dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>) {{.*}}alignment = 64 : i64} : !llvm.array<4 x f32>
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}(dense<[1, 0]> : tensor<2xi8>) {{.*}}alignment = 64 : i64} : !llvm.array<2 x i8>
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}(dense<-1> : tensor<2xi64>) {{.*}}alignment = 64 : i64} : !llvm.array<2 x i64>
// GLOBALS-DAG: llvm.mlir.global internal constant @{{.*}}(dense<0> : tensor<12xi8>) {{.*}}alignment = 64 : i64} : !llvm.array<12 x i8>
// What is left of the program's own symbols.
// GLOBALS-NOT: ml_program.global
// GLOBALS-NOT: dynbatch.adt

// HELPERS-LABEL: llvm.func internal @dynbatch_check_index(
// HELPERS-SAME: %[[CTX:.*]]: !llvm.ptr, %[[WHAT:.*]]: !llvm.ptr, %[[INDEX:.*]]: i64, %[[SIZE:.*]]: i64)
// HELPERS-NEXT: %[[FAILED:.*]] = llvm.icmp "uge" %[[INDEX]], %[[SIZE]] : i64
// HELPERS-NEXT: llvm.cond_br %[[FAILED]], ^bb1, ^bb2
// HELPERS: llvm.call @dynbatch_rt_index_error(%[[CTX]], %[[WHAT]], %[[INDEX]], %[[SIZE]])
// HELPERS-NEXT: llvm.unreachable

// HELPERS-LABEL: llvm.func internal @dynbatch_heap(
// HELPERS-SAME: %[[CTX:.*]]: !llvm.ptr, %[[BYTES:.*]]: i64) -> !llvm.ptr
// HELPERS: %[[FIELD:.*]] = llvm.getelementptr %[[CTX]][16]
// HELPERS-NEXT: %[[CURSOR:.*]] = llvm.load %[[FIELD]]
// HELPERS-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[CURSOR]][%[[BYTES]]]
// HELPERS-NEXT: %[[ENDFIELD:.*]] = llvm.getelementptr %[[CTX]][24]
// HELPERS-NEXT: %[[END:.*]] = llvm.load %[[ENDFIELD]]
// HELPERS-NEXT: llvm.icmp "ugt" %[[NEXT]], %[[END]]
// HELPERS: llvm.call @dynbatch_rt_heap_alloc(%[[CTX]], %[[BYTES]])
// HELPERS: llvm.store %[[NEXT]], %[[FIELD]]

// A cell: the tag, then slots of 16 bytes for tensors and of 8 for anything else.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[A:[^:]*]]: i1, %[[B:[^:]*]]: i8, %[[C:[^:]*]]: i32, %[[D:[^:]*]]: i64, %[[E:[^:]*]]: index, %[[F:[^:]*]]: f16, %[[G:[^:]*]]: f32, %[[H:[^:]*]]: f64, %[[T:[^:]*]]: !llvm.struct<(i64, i64)>, %[[X:[^:]*]]: !llvm.ptr, %[[S:[^:]*]]: !llvm.ptr)
// CHECK-SAME: -> (i1, i8, i32, i64, index, f16, f32, f64, !llvm.struct<(i64, i64)>, !llvm.ptr, !llvm.ptr)
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(112 : i64)
// CHECK: %[[CELL:.*]] = llvm.call @dynbatch_heap(%[[CTX]], %[[BYTES]])
// CHECK: %[[TAG:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: llvm.store %[[TAG]], %[[CELL]] : i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[CELL]][8]
// CHECK: %[[AW:.*]] = arith.extui %[[A]] : i1 to i64
// CHECK: llvm.store %[[AW]], %[[AT]]
// CHECK: %[[BT:.*]] = llvm.getelementptr %[[CELL]][16]
// CHECK: %[[BW:.*]] = arith.extui %[[B]] : i8 to i64
// CHECK: llvm.store %[[BW]], %[[BT]]
// CHECK: %[[CT:.*]] = llvm.getelementptr %[[CELL]][24]
// CHECK: %[[CW:.*]] = arith.extui %[[C]] : i32 to i64
// CHECK: llvm.store %[[CW]], %[[CT]]
// CHECK: %[[DT:.*]] = llvm.getelementptr %[[CELL]][32]
// CHECK: llvm.store %[[D]], %[[DT]]
// CHECK: %[[ET:.*]] = llvm.getelementptr %[[CELL]][40]
// CHECK: %[[EW:.*]] = arith.index_cast %[[E]] : index to i64
// CHECK: llvm.store %[[EW]], %[[ET]]
// CHECK: %[[FT:.*]] = llvm.getelementptr %[[CELL]][48]
// CHECK: %[[FI:.*]] = arith.bitcast %[[F]] : f16 to i16
// CHECK: %[[FW:.*]] = arith.extui %[[FI]] : i16 to i64
// CHECK: llvm.store %[[FW]], %[[FT]]
// CHECK: %[[GT:.*]] = llvm.getelementptr %[[CELL]][56]
// CHECK: %[[GI:.*]] = arith.bitcast %[[G]] : f32 to i32
// CHECK: %[[GW:.*]] = arith.extui %[[GI]] : i32 to i64
// CHECK: llvm.store %[[GW]], %[[GT]]
// CHECK: %[[HT:.*]] = llvm.getelementptr %[[CELL]][64]
// CHECK: %[[HW:.*]] = arith.bitcast %[[H]] : f64 to i64
// CHECK: llvm.store %[[HW]], %[[HT]]
// CHECK: %[[TT:.*]] = llvm.getelementptr %[[CELL]][72]
// CHECK: llvm.store %[[T]], %[[TT]] : !llvm.struct<(i64, i64)>
// CHECK: %[[XT:.*]] = llvm.getelementptr %[[CELL]][88]
// CHECK: llvm.store %[[X]], %[[XT]] : !llvm.ptr
// CHECK: %[[ST:.*]] = llvm.getelementptr %[[CELL]][96]
// CHECK: llvm.store %[[S]], %[[ST]] : !llvm.ptr
// CHECK: return {{.*}}, %[[CELL]], %[[S]] :
func.func @main(%ctx: !llvm.ptr, %a: i1, %b: i8, %c: i32, %d: i64, %e: index, %f: f16, %g: f32, %h: f64, %t: tensor<2xf32>, %x: !dynbatch.adt<@All>, %s: !dynbatch.seq<i1>)
    -> (i1, i8, i32, i64, index, f16, f32, f64, tensor<2xf32>, !dynbatch.adt<@All>, !dynbatch.seq<i1>) attributes {dynbatch.entry} {
  %y = dynbatch.construct @Cons(%a, %b, %c, %d, %e, %f, %g, %h, %t, %x, %s) : (i1, i8, i32, i64, index, f16, f32, f64, tensor<2xf32>, !dynbatch.adt<@All>, !dynbatch.seq<i1>) -> !dynbatch.adt<@All>
  return %a, %b, %c, %d, %e, %f, %g, %h, %t, %y, %s : i1, i8, i32, i64, index, f16, f32, f64, tensor<2xf32>, !dynbatch.adt<@All>, !dynbatch.seq<i1>
}

// The tag alone, but cells are aligned to 16 bytes.
// CHECK-LABEL: func.func private @nullary(
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[CELL:.*]] = llvm.call @dynbatch_heap(%{{.*}}, %[[BYTES]])
// CHECK: %[[TAG:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.store %[[TAG]], %[[CELL]]
// CHECK: return %[[CELL]]
func.func private @nullary(%ctx: !llvm.ptr) -> !dynbatch.adt<@All> {
  %y = dynbatch.construct @Nil() : () -> !dynbatch.adt<@All>
  return %y : !dynbatch.adt<@All>
}

// CHECK-LABEL: func.func private @fields(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[X:.*]]: !llvm.ptr)
// CHECK: %[[TAG:.*]] = llvm.load %[[X]] : !llvm.ptr -> i64
// CHECK: arith.index_cast %[[TAG]] : i64 to index
// CHECK: %[[A:.*]] = llvm.getelementptr %[[X]][8]
// CHECK: %[[AW:.*]] = llvm.load %[[A]] : !llvm.ptr -> i64
// CHECK: arith.trunci %[[AW]] : i64 to i1
// CHECK: %[[E:.*]] = llvm.getelementptr %[[X]][40]
// CHECK: %[[EW:.*]] = llvm.load %[[E]]
// CHECK: arith.index_cast %[[EW]] : i64 to index
// CHECK: %[[F:.*]] = llvm.getelementptr %[[X]][48]
// CHECK: %[[FW:.*]] = llvm.load %[[F]]
// CHECK: %[[FI:.*]] = arith.trunci %[[FW]] : i64 to i16
// CHECK: arith.bitcast %[[FI]] : i16 to f16
// CHECK: %[[H:.*]] = llvm.getelementptr %[[X]][64]
// CHECK: %[[HW:.*]] = llvm.load %[[H]]
// CHECK: arith.bitcast %[[HW]] : i64 to f64
// CHECK: %[[T:.*]] = llvm.getelementptr %[[X]][72]
// CHECK: llvm.load %[[T]] : !llvm.ptr -> !llvm.struct<(i64, i64)>
// CHECK: %[[S:.*]] = llvm.getelementptr %[[X]][96]
// CHECK: llvm.load %[[S]] : !llvm.ptr -> !llvm.ptr
func.func private @fields(%ctx: !llvm.ptr, %x: !dynbatch.adt<@All>) -> (index, i1, index, f16, f64, tensor<2xf32>, !dynbatch.seq<i1>) {
  %tag = dynbatch.tag %x : !dynbatch.adt<@All>
  %a = dynbatch.field @Cons[0] of %x : !dynbatch.adt<@All> -> i1
  %e = dynbatch.field @Cons[4] of %x : !dynbatch.adt<@All> -> index
  %f = dynbatch.field @Cons[5] of %x : !dynbatch.adt<@All> -> f16
  %h = dynbatch.field @Cons[7] of %x : !dynbatch.adt<@All> -> f64
  %t = dynbatch.field @Cons[8] of %x : !dynbatch.adt<@All> -> tensor<2xf32>
  %s = dynbatch.field @Cons[10] of %x : !dynbatch.adt<@All> -> !dynbatch.seq<i1>
  return %tag, %a, %e, %f, %h, %t, %s : index, i1, index, f16, f64, tensor<2xf32>, !dynbatch.seq<i1>
}

// A sequence: the length, then slots. Reading is checked.
// CHECK-LABEL: func.func private @get(
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[I:[^:]*]]: index, %[[TS:[^:]*]]: !llvm.ptr, %[[HS:[^:]*]]: !llvm.ptr)
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: %[[LENGTH:.*]] = llvm.load %[[TS]]
// CHECK: %[[WHAT:.*]] = llvm.mlir.addressof
// CHECK: llvm.call @dynbatch_check_index(%[[CTX]], %[[WHAT]], %[[INDEX]], %[[LENGTH]])
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[TS]][8]
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[FIRST]][%[[INDEX]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x i8>
// CHECK: llvm.load %[[SLOT]] : !llvm.ptr -> !llvm.struct<(i64, i64)>
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x i8>
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// CHECK: %[[N:.*]] = llvm.load %[[TS]] : !llvm.ptr -> i64
// CHECK: %[[RESULT:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK: return %{{.*}}, %{{.*}}, %[[RESULT]]
func.func private @get(%ctx: !llvm.ptr, %i: index, %ts: !dynbatch.seq<tensor<2xf32>>, %hs: !dynbatch.seq<f16>) -> (tensor<2xf32>, f16, index) {
  %t = dynbatch.get %ts[%i] : !dynbatch.seq<tensor<2xf32>>
  %h = dynbatch.get %hs[%i] : !dynbatch.seq<f16>
  %n = dynbatch.length %ts : !dynbatch.seq<tensor<2xf32>>
  return %t, %h, %n : tensor<2xf32>, f16, index
}

// Writing is not: the position comes from a loop over the same length.
// CHECK-LABEL: func.func private @set(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[N:[^:]*]]: index, %[[T:[^:]*]]: !llvm.struct<(i64, i64)>, %[[S:[^:]*]]: !llvm.ptr, %[[H:[^:]*]]: f16)
// CHECK: %[[LENGTH:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: %[[SLOTS:.*]] = arith.muli %[[LENGTH]], %[[SIZE]]
// CHECK: %[[HEADER:.*]] = llvm.mlir.constant(23 : i64)
// CHECK: %[[PADDED:.*]] = arith.addi %[[SLOTS]], %[[HEADER]]
// CHECK: %[[MASK:.*]] = llvm.mlir.constant(-16 : i64)
// CHECK: %[[BYTES:.*]] = arith.andi %[[PADDED]], %[[MASK]]
// CHECK: %[[CELL:.*]] = llvm.call @dynbatch_heap(%{{.*}}, %[[BYTES]])
// CHECK: llvm.store %[[LENGTH]], %[[CELL]] : i64
// CHECK-NOT: dynbatch_check_index
// CHECK: llvm.store %[[T]], %{{.*}} : !llvm.struct<(i64, i64)>
// CHECK: llvm.store %[[S]], %{{.*}} : !llvm.ptr
// CHECK: arith.bitcast %[[H]] : f16 to i16
// CHECK: llvm.store %{{.*}} : i64
func.func private @set(%ctx: !llvm.ptr, %n: index, %t: tensor<2xf32>, %s: !dynbatch.seq<i32>, %h: f16) {
  %a = dynbatch.seq_alloc %n : !dynbatch.seq<tensor<2xf32>>
  dynbatch.seq_set %a[%n] = %t : !dynbatch.seq<tensor<2xf32>>
  %b = dynbatch.seq_alloc %n : !dynbatch.seq<!dynbatch.seq<i32>>
  dynbatch.seq_set %b[%n] = %s : !dynbatch.seq<!dynbatch.seq<i32>>
  %c = dynbatch.seq_alloc %n : !dynbatch.seq<f16>
  dynbatch.seq_set %c[%n] = %h : !dynbatch.seq<f16>
  return
}

// CHECK-LABEL: func.func private @make_seq(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[T:.*]]: !llvm.struct<(i64, i64)>)
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[CELL:.*]] = llvm.call @dynbatch_heap
// CHECK: llvm.store %[[TWO]], %[[CELL]]
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[CELL]][8]
// CHECK: llvm.store %[[T]], %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[CELL]][24]
// CHECK: llvm.store %[[T]], %[[SECOND]]
// CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[EMPTY:.*]] = llvm.call @dynbatch_heap
// CHECK: llvm.store %[[ZERO]], %[[EMPTY]]
// CHECK: return %[[CELL]], %[[EMPTY]]
func.func private @make_seq(%ctx: !llvm.ptr, %t: tensor<2xf32>) -> (!dynbatch.seq<tensor<2xf32>>, !dynbatch.seq<f16>) {
  %k = dynbatch.make_seq %t, %t : !dynbatch.seq<tensor<2xf32>>
  %m = dynbatch.make_seq : !dynbatch.seq<f16>
  return %k, %m : !dynbatch.seq<tensor<2xf32>>, !dynbatch.seq<f16>
}

// A parameter is ready: stamp 0. A row of it is a view: a later address.
// CHECK-LABEL: func.func private @lookup_parameter(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[I:.*]]: i8)
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CTX]][40]
// CHECK: %[[PARAMS:.*]] = llvm.load %[[FIELD]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[PARAM:.*]] = llvm.getelementptr %[[PARAMS]][8]
// CHECK: %[[ADDRESS:.*]] = llvm.load %[[PARAM]] : !llvm.ptr -> i64
// CHECK: %[[READY:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[PAIR:.*]] = llvm.insertvalue %[[ADDRESS]], %{{.*}}[0]
// CHECK: %[[TABLE:.*]] = llvm.insertvalue %[[READY]], %[[PAIR]][1]
// CHECK: %[[INDEX:.*]] = arith.extsi %[[I]] : i8 to i64
// CHECK: %[[ROWS:.*]] = llvm.mlir.constant(3 : i64)
// CHECK: llvm.call @dynbatch_check_index(%[[CTX]], %{{.*}}, %[[INDEX]], %[[ROWS]])
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(10 : i64)
// CHECK: %[[OFFSET:.*]] = arith.muli %[[INDEX]], %[[BYTES]]
// CHECK: %[[BASE:.*]] = llvm.extractvalue %[[TABLE]][0]
// CHECK: %[[ROW:.*]] = arith.addi %[[BASE]], %[[OFFSET]]
// CHECK: %[[STAMP:.*]] = llvm.extractvalue %[[TABLE]][1]
// CHECK: llvm.insertvalue %[[ROW]], %{{.*}}[0]
// CHECK: llvm.insertvalue %[[STAMP]], %{{.*}}[1]
func.func private @lookup_parameter(%ctx: !llvm.ptr, %i: i8) -> tensor<5xf16> {
  %W = ml_program.global_load_const @W : tensor<3x5xf16>
  %r = dynbatch.lookup %W[%i] : tensor<3x5xf16>, i8 -> tensor<5xf16>
  return %r : tensor<5xf16>
}

// A row of a computed table is there when the table is. A truth value is 0 or 1.
// CHECK-LABEL: func.func private @lookup_computed(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr, %[[B:[^:]*]]: i1, %[[J:[^:]*]]: i64, %[[T:[^:]*]]: !llvm.struct<(i64, i64)>)
// CHECK: arith.extui %[[B]] : i1 to i64
// CHECK: %[[STAMP:.*]] = llvm.extractvalue %[[T]][1]
// CHECK: llvm.insertvalue %[[STAMP]], %{{.*}}[1]
// CHECK: llvm.call @dynbatch_check_index(%{{.*}}, %{{.*}}, %[[J]], %{{.*}})
func.func private @lookup_computed(%ctx: !llvm.ptr, %b: i1, %j: i64, %t: tensor<3x2xi1>) -> (tensor<2xi1>, tensor<2xi1>) {
  %p = dynbatch.lookup %t[%b] : tensor<3x2xi1>, i1 -> tensor<2xi1>
  %q = dynbatch.lookup %t[%j] : tensor<3x2xi1>, i64 -> tensor<2xi1>
  return %p, %q : tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: func.func private @constants(
// CHECK-COUNT-4: llvm.mlir.addressof @dynbatch_constant
// CHECK: return
func.func private @constants(%ctx: !llvm.ptr) -> (tensor<2x2xf32>, tensor<2xi1>, tensor<2xindex>, tensor<2x3xi16>) {
  %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = arith.constant dense<[true, false]> : tensor<2xi1>
  %2 = arith.constant dense<-1> : tensor<2xindex>
  %3 = tensor.empty() : tensor<2x3xi16>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2xi1>, tensor<2xindex>, tensor<2x3xi16>
}

// CHECK-LABEL: func.func private @assert(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[C:.*]]: i1)
// CHECK: %[[TEXT:.*]] = llvm.mlir.addressof @dynbatch_message
// CHECK: llvm.call @dynbatch_check(%[[CTX]], %[[C]], %[[TEXT]])
func.func private @assert(%ctx: !llvm.ptr, %c: i1) {
  cf.assert %c, "must hold"
  return
}

// Control flow keeps its ops; only the types change.
// CHECK-LABEL: func.func private @control_flow(
// CHECK: scf.if %{{.*}} -> (!llvm.ptr, !llvm.struct<(i64, i64)>) {
// CHECK: scf.yield %{{.*}}, %{{.*}} : !llvm.ptr, !llvm.struct<(i64, i64)>
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (!llvm.ptr) -> !llvm.ptr {
// CHECK: arith.select %{{.*}} : !llvm.struct<(i64, i64)>
// CHECK-NOT: unrealized_conversion_cast
// CHECK: return
func.func private @control_flow(%ctx: !llvm.ptr, %c: i1, %x: !dynbatch.adt<@All>, %s: !dynbatch.adt<@All>, %t: tensor<2xf32>, %u: tensor<2xf32>) -> (!dynbatch.adt<@All>, tensor<2xf32>) {
  %a, %b = scf.if %c -> (!dynbatch.adt<@All>, tensor<2xf32>) {
    scf.yield %x, %t : !dynbatch.adt<@All>, tensor<2xf32>
  } else {
    scf.yield %s, %u : !dynbatch.adt<@All>, tensor<2xf32>
  }
  %w = scf.while (%v = %a) : (!dynbatch.adt<@All>) -> !dynbatch.adt<@All> {
    scf.condition(%c) %v : !dynbatch.adt<@All>
  } do {
  ^bb0(%v: !dynbatch.adt<@All>):
    %rest = dynbatch.field @Cons[9] of %v : !dynbatch.adt<@All> -> !dynbatch.adt<@All>
    scf.yield %rest : !dynbatch.adt<@All>
  }
  %z = arith.select %c, %b, %u : tensor<2xf32>
  return %w, %z : !dynbatch.adt<@All>, tensor<2xf32>
}

// The entry that the runtime calls: slots in, slots out.
// CHECK-LABEL: func.func @dynbatch_entry(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr)
// CHECK: %[[A:.*]] = llvm.load %[[ARGS]] : !llvm.ptr -> i64
// CHECK: %[[AV:.*]] = arith.trunci %[[A]] : i64 to i1
// CHECK: llvm.getelementptr %[[ARGS]][8]
// CHECK: arith.trunci %{{.*}} : i64 to i8
// CHECK: llvm.getelementptr %[[ARGS]][16]
// CHECK: arith.trunci %{{.*}} : i64 to i32
// CHECK: llvm.getelementptr %[[ARGS]][24]
// CHECK: llvm.getelementptr %[[ARGS]][32]
// CHECK: arith.index_cast %{{.*}} : i64 to index
// CHECK: llvm.getelementptr %[[ARGS]][40]
// CHECK: arith.bitcast %{{.*}} : i16 to f16
// CHECK: llvm.getelementptr %[[ARGS]][48]
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.getelementptr %[[ARGS]][56]
// CHECK: arith.bitcast %{{.*}} : i64 to f64
// CHECK: llvm.getelementptr %[[ARGS]][64]
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> !llvm.struct<(i64, i64)>
// CHECK: llvm.getelementptr %[[ARGS]][80]
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[ST:.*]] = llvm.getelementptr %[[ARGS]][88]
// CHECK: %[[S:.*]] = llvm.load %[[ST]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[R:.*]]:11 = call @main(%[[CTX]], %[[AV]], {{.*}}, %[[S]])
// CHECK: %[[RA:.*]] = arith.extui %[[R]]#0 : i1 to i64
// CHECK: llvm.store %[[RA]], %[[RESULTS]]
// CHECK: %[[RT:.*]] = llvm.getelementptr %[[RESULTS]][64]
// CHECK: llvm.store %[[R]]#8, %[[RT]] : !llvm.struct<(i64, i64)>
// CHECK: %[[RX:.*]] = llvm.getelementptr %[[RESULTS]][80]
// CHECK: llvm.store %[[R]]#9, %[[RX]] : !llvm.ptr
// CHECK: %[[RS:.*]] = llvm.getelementptr %[[RESULTS]][88]
// CHECK: llvm.store %[[R]]#10, %[[RS]] : !llvm.ptr
// CHECK: return
