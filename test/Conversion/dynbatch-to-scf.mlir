// RUN: dynbatch-opt %s --convert-dynbatch-to-scf | FileCheck %s

dynbatch.adt @Box {
  dynbatch.ctor @Box(i32, tensor<4xf32>)
}
dynbatch.adt @Color {
  dynbatch.ctor @Red()
  dynbatch.ctor @Green()
  dynbatch.ctor @Blue()
}
dynbatch.adt @Any {
  dynbatch.ctor @Adt(!dynbatch.adt<@Box>)
  dynbatch.ctor @Seq(!dynbatch.seq<!dynbatch.adt<@Box>>)
}

// The last constructor needs no test, and the only one is the last.
// CHECK-LABEL: func.func @one_constructor(
// CHECK-SAME: %[[BOX:.*]]: !dynbatch.adt<@Box>
// CHECK: %[[TAG:.*]] = dynbatch.tag %[[BOX]]
// CHECK-NEXT: %[[RESULT:.*]] = scf.index_switch %[[TAG]] -> tensor<4xf32>
// CHECK-NOT: case
// CHECK: default {
// CHECK-DAG: dynbatch.field @Box[0] of %[[BOX]] : !dynbatch.adt<@Box> -> i32
// CHECK-DAG: %[[FIELD:.*]] = dynbatch.field @Box[1] of %[[BOX]] : !dynbatch.adt<@Box> -> tensor<4xf32>
// CHECK: scf.yield %[[FIELD]]
// CHECK: return %[[RESULT]]
func.func @one_constructor(%box: !dynbatch.adt<@Box>) -> tensor<4xf32> {
  %r = dynbatch.match %box : !dynbatch.adt<@Box> -> tensor<4xf32>
    case @Box(%i: i32, %t: tensor<4xf32>) {
      dynbatch.yield %t : tensor<4xf32>
    }
  return %r : tensor<4xf32>
}

// Cases are sorted by tag; nullary constructors have no fields.
// CHECK-LABEL: func.func @nullary(
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK-NEXT: %[[RED:.*]] = arith.constant 10
// CHECK-NEXT: scf.yield %[[RED]]
// CHECK: case 1 {
// CHECK-NEXT: %[[GREEN:.*]] = arith.constant 11
// CHECK-NEXT: scf.yield %[[GREEN]]
// CHECK: default {
// CHECK-NEXT: %[[BLUE:.*]] = arith.constant 12
// CHECK-NEXT: scf.yield %[[BLUE]]
func.func @nullary(%color: !dynbatch.adt<@Color>) -> i32 {
  %r = dynbatch.match %color : !dynbatch.adt<@Color> -> i32
    case @Blue() {
      %0 = arith.constant 12 : i32
      dynbatch.yield %0 : i32
    }
    case @Red() {
      %0 = arith.constant 10 : i32
      dynbatch.yield %0 : i32
    }
    case @Green() {
      %0 = arith.constant 11 : i32
      dynbatch.yield %0 : i32
    }
  return %r : i32
}

// CHECK-LABEL: func.func @no_result(
// CHECK: scf.index_switch %{{[^ ]*}}{{ *$}}
// CHECK: case 0 {
// CHECK-NEXT: scf.yield
// CHECK: case 1 {
// CHECK-NEXT: func.call @effect
// CHECK-NEXT: scf.yield
// CHECK: default {
// CHECK-NEXT: }
func.func private @effect()
func.func @no_result(%color: !dynbatch.adt<@Color>) {
  dynbatch.match %color : !dynbatch.adt<@Color>
    case @Red() {
    }
    case @Green() {
      func.call @effect() : () -> ()
    }
    case @Blue() {
    }
  return
}

// CHECK-LABEL: func.func @results(
// CHECK: scf.index_switch %{{.*}} -> !dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>
// CHECK: case 0 {
// CHECK: %[[ADT:.*]] = dynbatch.field @Adt[0] of
// CHECK: %[[NEW:.*]] = dynbatch.make_seq %[[ADT]]
// CHECK: scf.yield %[[ADT]], %[[NEW]], %{{.*}} : !dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>
// CHECK: default {
// CHECK: %[[SEQ:.*]] = dynbatch.field @Seq[0] of
// CHECK: %[[FIRST:.*]] = dynbatch.get %[[SEQ]]
// CHECK: scf.yield %[[FIRST]], %[[SEQ]], %{{.*}} : !dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>
func.func @results(%any: !dynbatch.adt<@Any>, %t: tensor<4xf32>) -> (!dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %r:3 = dynbatch.match %any : !dynbatch.adt<@Any> -> (!dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>)
    case @Adt(%box: !dynbatch.adt<@Box>) {
      %s = dynbatch.make_seq %box : !dynbatch.seq<!dynbatch.adt<@Box>>
      dynbatch.yield %box, %s, %t : !dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>
    }
    case @Seq(%s: !dynbatch.seq<!dynbatch.adt<@Box>>) {
      %box = dynbatch.get %s[%c0] : !dynbatch.seq<!dynbatch.adt<@Box>>
      dynbatch.yield %box, %s, %t : !dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>
    }
  return %r#0, %r#1, %r#2 : !dynbatch.adt<@Box>, !dynbatch.seq<!dynbatch.adt<@Box>>, tensor<4xf32>
}

// CHECK-LABEL: func.func @map(
// CHECK-SAME: %[[XS:.*]]: !dynbatch.seq<i32>
// CHECK: %[[LENGTH:.*]] = dynbatch.length %[[XS]]
// CHECK-NOT: cf.assert
// CHECK-DAG: %[[DOUBLES:.*]] = dynbatch.seq_alloc %[[LENGTH]] : !dynbatch.seq<i64>
// CHECK-DAG: %[[SAME:.*]] = dynbatch.seq_alloc %[[LENGTH]] : !dynbatch.seq<i32>
// CHECK: scf.for %[[I:[^ ]*]] = %{{.*}} to %[[LENGTH]] step
// CHECK-NEXT: %[[X:.*]] = dynbatch.get %[[XS]][%[[I]]]
// CHECK-NEXT: %[[WIDE:.*]] = arith.extsi %[[X]]
// CHECK-DAG: dynbatch.seq_set %[[DOUBLES]][%[[I]]] = %[[WIDE]]
// CHECK-DAG: dynbatch.seq_set %[[SAME]][%[[I]]] = %[[X]]
// CHECK: return %[[DOUBLES]], %[[SAME]]
func.func @map(%xs: !dynbatch.seq<i32>) -> (!dynbatch.seq<i64>, !dynbatch.seq<i32>) {
  %ys, %zs = dynbatch.map (%x = %xs : !dynbatch.seq<i32>) -> (!dynbatch.seq<i64>, !dynbatch.seq<i32>) {
    %y = arith.extsi %x : i32 to i64
    dynbatch.yield %y, %x : i64, i32
  }
  return %ys, %zs : !dynbatch.seq<i64>, !dynbatch.seq<i32>
}

// Every further input is compared with the first.
// CHECK-LABEL: func.func @map_inputs(
// CHECK-SAME: %[[A:[^:]*]]: !dynbatch.seq<i32>, %[[B:[^:]*]]: !dynbatch.seq<i32>, %[[C:[^:]*]]: !dynbatch.seq<tensor<4xf32>>
// CHECK-DAG: %[[NA:.*]] = dynbatch.length %[[A]]
// CHECK-DAG: %[[NB:.*]] = dynbatch.length %[[B]]
// CHECK: %[[AB:.*]] = arith.cmpi eq, %[[NA]], %[[NB]]
// CHECK: cf.assert %[[AB]], "sequences of different lengths"
// CHECK: %[[NC:.*]] = dynbatch.length %[[C]]
// CHECK: %[[AC:.*]] = arith.cmpi eq, %[[NA]], %[[NC]]
// CHECK: cf.assert %[[AC]], "sequences of different lengths"
// CHECK: scf.for
// CHECK-DAG: dynbatch.get %[[A]]
// CHECK-DAG: dynbatch.get %[[B]]
// CHECK-DAG: dynbatch.get %[[C]]
func.func @map_inputs(%a: !dynbatch.seq<i32>, %b: !dynbatch.seq<i32>, %c: !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<!dynbatch.adt<@Box>> {
  %r = dynbatch.map (%x = %a : !dynbatch.seq<i32>, %y = %b : !dynbatch.seq<i32>, %z = %c : !dynbatch.seq<tensor<4xf32>>) -> !dynbatch.seq<!dynbatch.adt<@Box>> {
    %s = arith.addi %x, %y : i32
    %box = dynbatch.construct @Box(%s, %z) : (i32, tensor<4xf32>) -> !dynbatch.adt<@Box>
    dynbatch.yield %box : !dynbatch.adt<@Box>
  }
  return %r : !dynbatch.seq<!dynbatch.adt<@Box>>
}

// CHECK-LABEL: func.func @scan(
// CHECK-SAME: %[[XS:.*]]: !dynbatch.seq<i32>, %[[INIT:.*]]: i32
// CHECK: %[[OUT:.*]] = dynbatch.seq_alloc
// CHECK: %[[LAST:.*]] = scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%[[CARRIED:.*]] = %[[INIT]])
// CHECK-NEXT: %[[X:.*]] = dynbatch.get %[[XS]][%[[I]]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[CARRIED]], %[[X]]
// CHECK-NEXT: dynbatch.seq_set %[[OUT]][%[[I]]] = %[[CARRIED]]
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: return %[[LAST]], %[[OUT]]
func.func @scan(%xs: !dynbatch.seq<i32>, %init: i32) -> (i32, !dynbatch.seq<i32>) {
  %last, %sums = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%c = %init : i32) -> !dynbatch.seq<i32> {
    %s = arith.addi %c, %x : i32
    dynbatch.yield %s, %c : i32, i32
  }
  return %last, %sums : i32, !dynbatch.seq<i32>
}

// Outputs stand where the input's element stands, also in reverse.
// CHECK-LABEL: func.func @scan_reverse(
// CHECK-SAME: %[[XS:.*]]: !dynbatch.seq<i32>
// CHECK: %[[LENGTH:.*]] = dynbatch.length %[[XS]]
// CHECK: %[[OUT:.*]] = dynbatch.seq_alloc
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %[[LENGTH]], %{{.*}}
// CHECK-NEXT: %[[POSITION:.*]] = arith.subi %[[LAST]], %[[I]]
// CHECK-NEXT: dynbatch.get %[[XS]][%[[POSITION]]]
// CHECK: dynbatch.seq_set %[[OUT]][%[[POSITION]]]
func.func @scan_reverse(%xs: !dynbatch.seq<i32>, %init: i32) -> !dynbatch.seq<i32> {
  %last, %sums = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<i32>) carry(%c = %init : i32) -> !dynbatch.seq<i32> {
    %s = arith.addi %c, %x : i32
    dynbatch.yield %s, %s : i32, i32
  }
  return %sums : !dynbatch.seq<i32>
}

// CHECK-LABEL: func.func @scan_without_outputs(
// CHECK-NOT: dynbatch.seq_alloc
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, tensor<4xf32>
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @scan_without_outputs(%xs: !dynbatch.seq<i32>, %a: i32, %t: tensor<4xf32>) -> (i32, tensor<4xf32>) {
  %r:2 = dynbatch.scan (%x = %xs : !dynbatch.seq<i32>) carry(%c = %a : i32, %d = %t : tensor<4xf32>) {
    dynbatch.yield %x, %d : i32, tensor<4xf32>
  }
  return %r#0, %r#1 : i32, tensor<4xf32>
}

// CHECK-LABEL: func.func @scan_without_state(
// CHECK: %[[OUT:.*]] = dynbatch.seq_alloc
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: dynbatch.seq_set %[[OUT]]
// CHECK: return %[[OUT]]
func.func @scan_without_state(%xs: !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
  %r = dynbatch.scan reverse (%x = %xs : !dynbatch.seq<i32>) -> !dynbatch.seq<i32> {
    dynbatch.yield %x : i32
  }
  return %r : !dynbatch.seq<i32>
}

// CHECK-LABEL: func.func @nested(
// CHECK: scf.for
// CHECK: scf.index_switch
// CHECK: default {
// CHECK: scf.for
// CHECK: scf.index_switch
// CHECK-NOT: dynbatch.{{match|map|scan|yield}}
func.func @nested(%xs: !dynbatch.seq<!dynbatch.adt<@Any>>, %n: i32) -> i32 {
  %r = dynbatch.scan (%x = %xs : !dynbatch.seq<!dynbatch.adt<@Any>>) carry(%c = %n : i32) {
    %m = dynbatch.match %x : !dynbatch.adt<@Any> -> i32
      case @Adt(%box: !dynbatch.adt<@Box>) {
        dynbatch.yield %c : i32
      }
      case @Seq(%s: !dynbatch.seq<!dynbatch.adt<@Box>>) {
        %k = dynbatch.scan (%box = %s : !dynbatch.seq<!dynbatch.adt<@Box>>) carry(%d = %c : i32) {
          %e = dynbatch.match %box : !dynbatch.adt<@Box> -> i32
            case @Box(%i: i32, %t: tensor<4xf32>) {
              %f = arith.addi %d, %i : i32
              dynbatch.yield %f : i32
            }
          dynbatch.yield %e : i32
        }
        dynbatch.yield %k : i32
      }
    dynbatch.yield %m : i32
  }
  return %r : i32
}
