// RUN: dynbatch-opt %s --dynbatch-pass-context --convert-dynbatch-to-llvm | FileCheck %s

// The descriptor says what the code may use.
// CHECK: @dynbatch_descriptor("{{.*}}\22target\22:{\22cpu\22:\22skylake\22,\22features\22:[\22avx2\22,\22fma\22]}

module attributes {llvm.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "skylake", features = <["+avx2", "-sse4a", "+fma"]>>} {
  func.func @main(%x: i32) -> i32 attributes {dynbatch.entry} {
    return %x : i32
  }
}
