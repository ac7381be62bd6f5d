// Every error in a file of instances names the place; nothing is written then.

// RUN: split-file %s %t

// RUN: not dynbatch-run %t/model.mlir --instances=%t/unknown --output=%t/out 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{^.*}}/unknown:2:17: error: unknown constructor 'Leef' of ADT 'Tree' (it has: Leaf, Node){{$}}
// RUN: not dynbatch-run %t/model.mlir --instances=%t/unclosed --output=%t/out 2>&1 | FileCheck %s --check-prefix=UNCLOSED
// UNCLOSED: {{^.*}}/unclosed:1:14: error: constructor 'Leaf' has 1 fields: expected ')', found the end of the line{{$}}
// RUN: not dynbatch-run %t/model.mlir --instances=%t/behind --output=%t/out 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: {{^.*}}/behind:1:12: error: unexpected '(' after the instance{{$}}
// RUN: not dynbatch-run %t/model.mlir --instances=%t/missing --output=%t/out 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^.*}}/missing:3:9:{{ error: .*}}
// RUN: not dynbatch-run %t/model.mlir --instances=%t/range --output=%t/out 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: {{^.*}}/range:1:7: error: 99999999999 is out of range for i32 (-2147483648 to 2147483647){{$}}
// RUN: not dynbatch-run %t/model.mlir --instances=%t/nowhere --output=%t/out 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: {{^}}dynbatch-run: error: cannot read '{{.*}}nowhere': No such file or directory{{$}}

// An index outside of a table also names the instance and the op.
// RUN: not dynbatch-run %t/model.mlir --instances=%t/index --output=%t/out 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not dynbatch-run %t/model.mlir --instances=%t/index --target=reference --output=%t/out 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not dynbatch-run %t/model.mlir --instances=%t/index --batch-size=1 --output=%t/out 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: {{^}}dynbatch-run: error: instance 1: {{.*}}model.mlir:10:12: lookup: index 4 is out of bounds for size 4 ({{.*}}/index:4){{$}}
// RUN: not dynbatch-run %t/model.mlir --instances=%t/negative --output=%t/out 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: instance 0: {{.*}}: lookup: index -1 is out of bounds for size 4 ({{.*}}/negative:1){{$}}

// RUN: not ls %t/out

// No instance is no error.
// RUN: dynbatch-run %t/model.mlir --instances=%t/empty --output=%t/empty.out
// RUN: count 0 < %t/empty.out
// RUN: dynbatch-run %t/model.mlir --instances=%t/empty --target=reference | count 0
// RUN: dynbatch-run %t/model.mlir --instances=%t/comments --stats 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: instances {{ *}}0{{$}}

//--- unknown
(Leaf 1)
(Node (Leaf 1) (Leef 2))
//--- unclosed
(Leaf 1      
//--- behind
(Leaf 1)   (Leaf 2)
//--- missing

# A comment
( Leaf  )
//--- range
(Leaf 99999999999)
//--- index
# Not an instance
(Node (Leaf 0) (Leaf 3))

(Node (Leaf 0) (Leaf 4))
(Leaf 1)
//--- negative
(Leaf -1)
//--- empty
//--- comments
# Nothing

# to do
//--- model.mlir
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}
ml_program.global private @E(#ml_program.extern<tensor<4x2xf32>>) : tensor<4x2xf32>
func.func @sum(%tree: !dynbatch.adt<@Tree>) -> tensor<2xf32> attributes {dynbatch.entry} {
  %h = dynbatch.match %tree : !dynbatch.adt<@Tree> -> tensor<2xf32>
    case @Leaf(%word: i32) {
      %E = ml_program.global_load_const @E : tensor<4x2xf32>
      %x = dynbatch.lookup %E[%word] : tensor<4x2xf32>, i32 -> tensor<2xf32>
      dynbatch.yield %x : tensor<2xf32>
    }
    case @Node(%l: !dynbatch.adt<@Tree>, %r: !dynbatch.adt<@Tree>) {
      %a = func.call @sum(%l) : (!dynbatch.adt<@Tree>) -> tensor<2xf32>
      %b = func.call @sum(%r) : (!dynbatch.adt<@Tree>) -> tensor<2xf32>
      %s = arith.addf %a, %b : tensor<2xf32>
      dynbatch.yield %s : tensor<2xf32>
    }
  return %h : tensor<2xf32>
}
