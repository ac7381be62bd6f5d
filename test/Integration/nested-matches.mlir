// A match inside of a scan inside of a match; recursion over scalars alone, unused
// results, and a function that returns nothing.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --target=reference | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule | FileCheck %s
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --verify-schedule --batch-size=1 | FileCheck %s

// CHECK:      -5{{$}}
// CHECK-NEXT: 0{{$}}
// CHECK-NEXT: -2{{$}}

//--- instances
(Num -5)
(Sum [])
(Sum [(Num 1) (Neg (Sum [(Num 10) (Neg (Num 3))])) (Sum [(Num 4)])])
//--- model.mlir
dynbatch.adt @E {
  dynbatch.ctor @Num(i64)
  dynbatch.ctor @Sum(!dynbatch.seq<!dynbatch.adt<@E>>)
  dynbatch.ctor @Neg(!dynbatch.adt<@E>)
}
func.func private @eval(%e: !dynbatch.adt<@E>) -> i64 {
  %zero = arith.constant 0 : i64
  %r = dynbatch.match %e : !dynbatch.adt<@E> -> i64
    case @Sum(%es: !dynbatch.seq<!dynbatch.adt<@E>>) {
      %s, %all = dynbatch.scan (%x = %es : !dynbatch.seq<!dynbatch.adt<@E>>) carry(%acc = %zero : i64) -> !dynbatch.seq<i64> {
        %v = dynbatch.match %x : !dynbatch.adt<@E> -> i64
          case @Num(%n: i64) {
            dynbatch.yield %n : i64
          }
          case @Sum(%q: !dynbatch.seq<!dynbatch.adt<@E>>) {
            %w = func.call @eval(%x) : (!dynbatch.adt<@E>) -> i64
            dynbatch.yield %w : i64
          }
          case @Neg(%q: !dynbatch.adt<@E>) {
            %w = func.call @eval(%x) : (!dynbatch.adt<@E>) -> i64
            dynbatch.yield %w : i64
          }
        %t = arith.addi %acc, %v : i64
        dynbatch.yield %t, %v : i64, i64
      }
      dynbatch.yield %s : i64
    }
    case @Num(%n: i64) {
      dynbatch.yield %n : i64
    }
    case @Neg(%q: !dynbatch.adt<@E>) {
      %w = func.call @eval(%q) : (!dynbatch.adt<@E>) -> i64
      %m = arith.subi %zero, %w : i64
      dynbatch.yield %m : i64
    }
  return %r : i64
}
func.func private @nothing(%e: !dynbatch.adt<@E>) attributes {no_inline} {
  return
}
func.func @main(%e: !dynbatch.adt<@E>) -> i64 attributes {dynbatch.entry} {
  %unused = call @eval(%e) : (!dynbatch.adt<@E>) -> i64
  call @nothing(%e) : (!dynbatch.adt<@E>) -> ()
  %r = call @eval(%e) : (!dynbatch.adt<@E>) -> i64
  return %r : i64
}
