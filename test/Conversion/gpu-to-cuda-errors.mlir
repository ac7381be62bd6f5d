// RUN: dynbatch-opt %s --convert-dynbatch-gpu-to-cuda --split-input-file --verify-diagnostics

module attributes {gpu.container_module} {
  func.func private @launch(%n: index) {
    // expected-error@+1 {{'gpu.launch_func' op launches @kernels::@cell, which is not compiled: run dynbatch-serialize-gpu-kernels first}}
    gpu.launch_func @kernels::@cell blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @kernels {
    gpu.func @cell() kernel {
      gpu.return
    }
  }
}

// -----

module {
  // expected-error@+1 {{'gpu.module' op is not compiled: run dynbatch-serialize-gpu-kernels first}}
  gpu.module @kernels {
  }
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{'gpu.binary' op holds bitcode: expected PTX, a binary or a fat binary}}
  gpu.binary @kernels [#gpu.object<#nvvm.target, offload = "BC">]
}

// -----

module attributes {gpu.container_module} {
  // expected-error@+1 {{'gpu.binary' op has 2 objects: expected one that holds all code}}
  gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "a">, #gpu.object<#nvvm.target, bin = "b">]
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "a">]
  func.func private @launch(%n: index, %x: memref<4xf32>) {
    // expected-error@+1 {{'gpu.launch_func' op has an argument of type 'memref<4xf32>': expected an integer, a float or a pointer}}
    gpu.launch_func @kernels::@cell blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : memref<4xf32>)
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "a">]
  func.func private @launch(%n: index) {
    // expected-error@+1 {{'gpu.launch_func' op is not supported: expected no clusters and no tokens}}
    %0 = gpu.launch_func async @kernels::@cell blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

func.func private @id() -> index {
  // expected-error@+1 {{'gpu.thread_id' op is not supported in host code}}
  %0 = gpu.thread_id x
  return %0 : index
}
