// Programs that cannot be compiled: exit code 1 and what is wrong.

// RUN: split-file %s %t

// DEFINE: %{run} = not dynbatch-run --instances=%t/instances --output=%t/out

// RUN: %{run} %t/syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.mlir:2:23: error: use of undeclared SSA value name
// RUN: %{run} %t/nowhere.mlir 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: '{{.*}}nowhere.mlir': No such file or directory
// RUN: %{run} %t/no_entry.mlir 2>&1 | FileCheck %s --check-prefix=NO-ENTRY
// NO-ENTRY: no_entry.mlir:0:0: error: no entry: mark one function with 'dynbatch.entry'
// RUN: %{run} %t/two_entries.mlir 2>&1 | FileCheck %s --check-prefix=TWO-ENTRIES
// TWO-ENTRIES: two_entries.mlir:0:0: error: ambiguous entry: mark exactly one function with 'dynbatch.entry'
// RUN: %{run} %t/declaration.mlir 2>&1 | FileCheck %s --check-prefix=DECLARATION
// DECLARATION: declaration.mlir:3:8: error: 'func.call' op calls 'outside', which has no body: an instance program must be complete
// RUN: %{run} %t/dialect.mlir 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: dialect.mlir:2:17: error: operation being parsed with an unregistered dialect
// RUN: %{run} %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: type.mlir:1:1: error: 'func.func' op input #0 cannot be of type 'tensor<?xf32>'
// RUN: %{run} %t/unbatchable.mlir 2>&1 | FileCheck %s --check-prefix=UNBATCHABLE
// UNBATCHABLE: unbatchable.mlir:2:8: error: 'tensor.generate' op cannot be batched: it does not implement BatchableOpInterface
// RUN: %{run} %t/offset.mlir 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: offset.mlir:3:8: error: 'tensor.extract_slice' op cannot be batched: an offset, size or stride varies from task to task
// RUN: not ls %t/out

//--- instances
1
//--- syntax.mlir
func.func @main(%x: i32) -> i32 attributes {dynbatch.entry} {
  %0 = arith.addi %x, %y : i32
  return %0 : i32
}
//--- no_entry.mlir
func.func private @main(%x: i32) -> i32 {
  return %x : i32
}
//--- two_entries.mlir
func.func @one(%x: i32) -> i32 attributes {dynbatch.entry} {
  return %x : i32
}
func.func @two(%x: i32) -> i32 attributes {dynbatch.entry} {
  return %x : i32
}
//--- declaration.mlir
func.func private @outside(i32) -> i32
func.func @main(%x: i32) -> i32 attributes {dynbatch.entry} {
  %0 = call @outside(%x) : (i32) -> i32
  return %0 : i32
}
//--- dialect.mlir
func.func @main(%x: i32) -> i32 attributes {dynbatch.entry} {
  %0 = "no.such"(%x) : (i32) -> i32
  return %0 : i32
}
//--- type.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> attributes {dynbatch.entry} {
  return %x : tensor<?xf32>
}
//--- unbatchable.mlir
func.func @main(%n: index) -> tensor<4xf32> attributes {dynbatch.entry} {
  %0 = tensor.generate {
  ^bb0(%i: index):
    %m = arith.addi %i, %n : index
    %v = arith.index_cast %m : index to i32
    %f = arith.sitofp %v : i32 to f32
    tensor.yield %f : f32
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- offset.mlir
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<2xf32> attributes {dynbatch.entry} {
  %y = arith.addf %x, %x : tensor<4xf32>
  %0 = tensor.extract_slice %y[%n] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
