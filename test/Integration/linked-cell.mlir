// Functions of other modules, in the form in which torch-mlir and other tools
// export them, as bodies of an instance program. The cell's helper and constant
// have names that the program uses, too.

// RUN: rm -rf %t
// RUN: split-file %s %t
// RUN: cd %t && dynbatch-run program.mlir --link=cell.mlir --instances=instances.txt --params=random:1 > linked.txt
// RUN: cd %t && dynbatch-run whole.mlir --instances=instances.txt --params=random:1 | diff linked.txt -
// RUN: FileCheck %s < %t/linked.txt
// RUN: cd %t && dynbatch-run program.mlir --link=cell.mlir --instances=instances.txt --params=random:1 --target=reference | diff linked.txt -
// RUN: cd %t && dynbatch-compile program.mlir --link=cell.mlir -o program.so && dynbatch-run program.so --instances=instances.txt --params=random:1 | diff linked.txt -
// RUN: cd %t && mlir-opt --emit-bytecode cell.mlir -o cell.mlirbc && dynbatch-run program.mlir --link=cell.mlirbc --instances=instances.txt --params=random:1 | diff linked.txt -
// The cached object is that of the cell, too.
// RUN: cd %t && dynbatch-run program.mlir --link=cell.mlir --cache-dir=cache --instances=instances.txt --params=random:1 | diff linked.txt -
// RUN: cd %t && dynbatch-run program.mlir --link=other-cell.mlir --cache-dir=cache --instances=instances.txt --params=random:1 | FileCheck %s --check-prefix=OTHER
// RUN: ls %t/cache | count 2

// CHECK: [3 3]
// CHECK-NEXT: [4 4]
// OTHER: [1 1]
// OTHER-NEXT: [2 2]

// Without its definition a declared function is refused.
// RUN: not dynbatch-run %t/program.mlir --instances=%t/instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: program.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}cell
// RUN: cd %t && not dynbatch-run program.mlir --link=missing.mlir --instances=instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: 'missing.mlir': No such file or directory
// RUN: cd %t && not dynbatch-run program.mlir --link=syntax.mlir --instances=instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.mlir:2:10: error: use of undeclared SSA value name
// SYNTAX-NEXT: return %y
// RUN: cd %t && not dynbatch-run program.mlir --link=dynamic-cell.mlir --instances=instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: program.mlir:1:1: error: 'func.func' op is declared with type '(tensor<2xf32>) -> tensor<2xf32>', but the linked function has type '(tensor<?xf32>) -> tensor<?xf32>'
// TYPE: dynamic-cell.mlir:1:1: note: the linked function
// RUN: cd %t && not dynbatch-run program.mlir --link=not-symbols.mlir --instances=instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: not-symbols.mlir:1:{{[0-9]+}}: error: a linked module may hold symbols alone

// What a linked module declares is the program's function of that name, or that
// of another linked module, in either order.
// RUN: cd %t && dynbatch-run program.mlir --link=calls-two.mlir --link=two.mlir --instances=instances.txt --params=random:1 | diff linked.txt -
// RUN: cd %t && dynbatch-run program.mlir --link=two.mlir --link=calls-two.mlir --instances=instances.txt --params=random:1 | diff linked.txt -
// RUN: cd %t && not dynbatch-run program.mlir --link=calls-two.mlir --link=wrong-two.mlir --instances=instances.txt --params=random:1 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: calls-two.mlir:1:1: error: 'func.func' op is declared with type '() -> tensor<2xf32>', but the linked function has type '() -> f32'

//--- instances.txt
1.0
2.0
//--- program.mlir
func.func private @cell(%x: tensor<2xf32>) -> tensor<2xf32>
func.func private @helper(%x: f32) -> tensor<2xf32> {
  %r = tensor.splat %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @main(%x: f32) -> tensor<2xf32> attributes {dynbatch.entry} {
  %v = call @helper(%x) : (f32) -> tensor<2xf32>
  %r = call @cell(%v) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- cell.mlir
#map = affine_map<(d0) -> (d0)>
module attributes {torch.debug_module_name = "Cell"} {
  func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
    %two = arith.constant dense<2.0> : tensor<2xf32>
    %e = tensor.empty() : tensor<2xf32>
    %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
        ins(%x, %two : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    %r = call @helper(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
  // Nobody calls it, and nobody could compile it.
  func.func @unused(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
//--- other-cell.mlir
func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- calls-two.mlir
func.func private @two() -> tensor<2xf32>
func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = call @two() : () -> tensor<2xf32>
  %r = arith.addf %x, %two : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- two.mlir
func.func @two() -> tensor<2xf32> {
  %r = arith.constant dense<2.0> : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- wrong-two.mlir
func.func @two() -> f32 {
  %r = arith.constant 2.0 : f32
  return %r : f32
}
//--- whole.mlir
func.func @main(%x: f32) -> tensor<2xf32> attributes {dynbatch.entry} {
  %v = tensor.splat %x : tensor<2xf32>
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %r = arith.addf %v, %two : tensor<2xf32>
  return %r : tensor<2xf32>
}
//--- syntax.mlir
func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %y : tensor<2xf32>
}
//--- dynamic-cell.mlir
func.func @cell(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
//--- not-symbols.mlir
%c = arith.constant 1 : i32
