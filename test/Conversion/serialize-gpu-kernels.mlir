// RUN: not dynbatch-opt %s --pass-pipeline="builtin.module(dynbatch-serialize-gpu-kernels{toolkit=%t.nowhere})" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dynbatch-opt %s --pass-pipeline="builtin.module(dynbatch-serialize-gpu-kernels{format=ptx})" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: sed -e 's/@__nv_exp/@exp_of/' %s | dynbatch-opt --pass-pipeline="builtin.module(dynbatch-serialize-gpu-kernels{toolkit=%t.nowhere})" 2>&1 | FileCheck %s --check-prefix=UNUSED

// MISSING: error: 'llvm.call' op needs '__nv_exp' of the device library of a CUDA toolkit, which is not there: '{{.*}}nowhere{{.*}}libdevice.10.bc'
// FORMAT: error: dynbatch-serialize-gpu-kernels: format must be isa, bin, fatbin or auto, but is 'ptx'

// Without calls of the library, nobody asks for it.
// UNUSED-NOT: error:
// UNUSED: gpu.binary @kernels
// UNUSED-SAME: .visible .entry kernel

gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.func @__nv_exp(%x: f64) -> f64
  llvm.func @kernel(%x: f64, %p: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = llvm.call @__nv_exp(%x) : (f64) -> f64
    llvm.store %0, %p : f64, !llvm.ptr
    llvm.return
  }
}
