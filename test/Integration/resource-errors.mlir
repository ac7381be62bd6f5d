// A constant whose elements are not there, or not as many as its type has, is
// refused where it stands.

// RUN: split-file %s %t
// RUN: echo '[1 2]' > %t/instances.txt
// RUN: not dynbatch-run %t/short.mlir --instances=%t/instances.txt 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not dynbatch-run %t/missing.mlir --instances=%t/instances.txt 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dynbatch-run %t/short.mlir --instances=%t/instances.txt --target=simt 2>&1 | FileCheck %s --check-prefix=GPU
// SHORT: short.mlir:2:8: error: raw data size does not match element type size
// MISSING: missing.mlir:2:8: error: resource does not exist
// GPU: short.mlir:2:8: error: 'arith.constant' op cannot be lowered for a GPU: its contents are not in the program

//--- short.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {dynbatch.entry} {
  %c = arith.constant dense_resource<short> : tensor<2xf32>
  %r = arith.addf %c, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
{-#
  dialect_resources: { builtin: { short: "0x040000000000803F" } }
#-}
//--- missing.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> attributes {dynbatch.entry} {
  %c = arith.constant dense_resource<missing> : tensor<2xf32>
  %r = arith.addf %c, %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
