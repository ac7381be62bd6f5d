// RUN: dynbatch-opt %s --dynbatch-pass-context | FileCheck %s

dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}

// Only recursive functions check the stack: against its limit.
// CHECK: llvm.func @dynbatch_rt_stack_overflow(!llvm.ptr)
// CHECK-LABEL: llvm.func internal @dynbatch_check_stack(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr
// CHECK: %[[HERE:.*]] = llvm.call_intrinsic "llvm.frameaddress.p0"
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[CTX]][56]
// CHECK: %[[LIMIT:.*]] = llvm.load %[[FIELD]]
// CHECK: %[[FAILED:.*]] = llvm.icmp "ult" %[[HERE]], %[[LIMIT]]
// CHECK: llvm.cond_br %[[FAILED]], ^[[ERROR:.*]], ^[[DONE:.*]]
// CHECK: ^[[ERROR]]:
// CHECK-NEXT: llvm.call @dynbatch_rt_stack_overflow(%[[CTX]])
// CHECK-NEXT: llvm.unreachable
// CHECK: ^[[DONE]]:
// CHECK-NEXT: llvm.return

// CHECK-LABEL: func.func private @walk(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %{{.*}}: !dynbatch.adt<@Tree>) -> i32
// CHECK-NEXT: llvm.call @dynbatch_check_stack(%[[CTX]])
// CHECK: func.call @walk(%[[CTX]], %{{.*}}) : (!llvm.ptr, !dynbatch.adt<@Tree>) -> i32
// CHECK: func.call @walk(%[[CTX]], %{{.*}}) : (!llvm.ptr, !dynbatch.adt<@Tree>) -> i32
// CHECK: call @plain(%[[CTX]], %{{.*}}) : (!llvm.ptr, i32) -> i32
func.func private @walk(%t: !dynbatch.adt<@Tree>) -> i32 {
  %r = dynbatch.match %t : !dynbatch.adt<@Tree> -> i32
    case @Leaf(%n: i32) {
      dynbatch.yield %n : i32
    }
    case @Node(%a: !dynbatch.adt<@Tree>, %b: !dynbatch.adt<@Tree>) {
      %x = func.call @walk(%a) : (!dynbatch.adt<@Tree>) -> i32
      %y = func.call @walk(%b) : (!dynbatch.adt<@Tree>) -> i32
      %z = arith.addi %x, %y : i32
      dynbatch.yield %z : i32
    }
  %s = call @plain(%r) : (i32) -> i32
  return %s : i32
}

// CHECK-LABEL: func.func private @plain(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: i32) -> i32
// CHECK-NOT: dynbatch_check_stack
// CHECK: return
func.func private @plain(%n: i32) -> i32 {
  return %n : i32
}

// Mutual recursion.
// CHECK-LABEL: func.func private @even(
// CHECK-NEXT: llvm.call @dynbatch_check_stack
// CHECK: func.call @odd(%{{.*}}, %{{.*}}) : (!llvm.ptr, i32) -> i1
func.func private @even(%n: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %zero = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %zero -> i1 {
    scf.yield %true : i1
  } else {
    %m = arith.subi %n, %c1 : i32
    %s = func.call @odd(%m) : (i32) -> i1
    scf.yield %s : i1
  }
  return %r : i1
}

// CHECK-LABEL: func.func private @odd(
// CHECK-NEXT: llvm.call @dynbatch_check_stack
// CHECK: call @even(
func.func private @odd(%n: i32) -> i1 {
  %r = call @even(%n) : (i32) -> i1
  %true = arith.constant true
  %s = arith.xori %r, %true : i1
  return %s : i1
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[T:.*]]: !dynbatch.adt<@Tree>) -> (i32, i1) attributes {dynbatch.entry}
// CHECK-NEXT: call @walk(%[[CTX]], %[[T]])
// CHECK: call @even(%[[CTX]],
func.func @main(%t: !dynbatch.adt<@Tree>) -> (i32, i1) attributes {dynbatch.entry} {
  %n = call @walk(%t) : (!dynbatch.adt<@Tree>) -> i32
  %e = call @even(%n) : (i32) -> i1
  return %n, %e : i32, i1
}

// CHECK-LABEL: func.func private @prologue(
// CHECK-SAME: %{{.*}}: !llvm.ptr) attributes {dynbatch.prologue}
func.func private @prologue() attributes {dynbatch.prologue} {
  return
}

// Implementations of kernels, and what those alone call, are not host code.
// CHECK-LABEL: func.func private @impl(!llvm.ptr){{$}}
// CHECK-NOT: dynbatch_check_stack
// CHECK-LABEL: func.func private @helper(
// CHECK-SAME: %{{[^:]*}}: i64) {
dynbatch.kernel private @k(index, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @impl2, stage = 0 : i64, task_type = () -> tensor<4xf32>}
dynbatch.kernel private @external(index, !dynbatch.rows<tensor<4xf32>>) attributes {implementation = @impl, stage = 0 : i64, task_type = () -> tensor<4xf32>}
func.func private @impl(!llvm.ptr) -> ()
func.func private @helper(%n: i64) {
  call @helper(%n) : (i64) -> ()
  return
}
// CHECK-LABEL: func.func private @impl2(
// CHECK-SAME: %[[ROWS:[^:]*]]: !llvm.ptr, %[[N:[^:]*]]: i64, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr) {
// CHECK-NEXT: call @helper(%[[N]]) : (i64) -> ()
func.func private @impl2(%rows: !llvm.ptr, %n: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
  call @helper(%n) : (i64) -> ()
  return
}
