// A program without a tensor op, over data structures alone.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --target=reference | FileCheck %s

// CHECK:      6 (Cons 3 (Cons 2 (Cons 1 Nil)))
// CHECK-NEXT: 0 Nil

//--- instances.txt
(Cons 1 (Cons 2 (Cons 3 Nil)))
Nil

//--- model.mlir
dynbatch.adt @List {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(i64, !dynbatch.adt<@List>)
}
func.func private @reverse(%l: !dynbatch.adt<@List>, %done: !dynbatch.adt<@List>, %sum: i64) -> (i64, !dynbatch.adt<@List>) {
  %n, %r = dynbatch.match %l : !dynbatch.adt<@List> -> (i64, !dynbatch.adt<@List>)
    case @Nil() {
      dynbatch.yield %sum, %done : i64, !dynbatch.adt<@List>
    }
    case @Cons(%x: i64, %rest: !dynbatch.adt<@List>) {
      %next = dynbatch.construct @Cons(%x, %done) : (i64, !dynbatch.adt<@List>) -> !dynbatch.adt<@List>
      %s = arith.addi %sum, %x : i64
      %m, %q = func.call @reverse(%rest, %next, %s) : (!dynbatch.adt<@List>, !dynbatch.adt<@List>, i64) -> (i64, !dynbatch.adt<@List>)
      dynbatch.yield %m, %q : i64, !dynbatch.adt<@List>
    }
  return %n, %r : i64, !dynbatch.adt<@List>
}
func.func @main(%l: !dynbatch.adt<@List>) -> (i64, !dynbatch.adt<@List>) attributes {dynbatch.entry} {
  %nil = dynbatch.construct @Nil() : () -> !dynbatch.adt<@List>
  %zero = arith.constant 0 : i64
  %n, %r = call @reverse(%l, %nil, %zero) : (!dynbatch.adt<@List>, !dynbatch.adt<@List>, i64) -> (i64, !dynbatch.adt<@List>)
  return %n, %r : i64, !dynbatch.adt<@List>
}
