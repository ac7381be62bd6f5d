// RUN: dynbatch-opt %s --allow-unregistered-dialect --convert-dynbatch-gpu-to-simt --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @print() kernel {
    // expected-error@+1 {{failed to legalize operation 'gpu.printf' that was explicitly marked illegal}}
    gpu.printf "hello"
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @half_sums(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) kernel {
    // expected-error@+1 {{failed to legalize operation 'nvgpu.mma.sync' that was explicitly marked illegal}}
    %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
    "test.use"(%d) : (vector<2x2xf16>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wide(%v: vector<4xf32>, %n: i32) kernel {
    // expected-error@+1 {{failed to legalize operation 'gpu.shuffle' that was explicitly marked illegal}}
    %0, %valid = gpu.shuffle xor %v, %n, %n : vector<4xf32>
    "test.use"(%0) : (vector<4xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @nvvm() kernel {
    // expected-error@+1 {{failed to legalize operation 'nvvm.barrier0' that was explicitly marked illegal}}
    nvvm.barrier0
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op is not a kernel: device functions are not supported}}
  gpu.func @helper() {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'func.func' op is not supported in a 'gpu.module': expected nothing but kernels and constants}}
  func.func private @helper()
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'memref.global' op is not supported in a 'gpu.module': expected a constant in the default memory space}}
  memref.global "private" @tile : memref<4xf32, 3>
}

// -----

gpu.module @kernels {
  gpu.func @linalg(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
    // expected-error@+1 {{'linalg.copy' op is not supported in a kernel: its accesses of memory cannot be checked}}
    linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @scatter(%x: memref<8xf32>, %i: index, %at: vector<4xindex>, %mask: vector<4xi1>, %v: vector<4xf32>) kernel {
    // expected-error@+1 {{'vector.scatter' op is not supported in a kernel: its accesses of memory cannot be checked}}
    vector.scatter %x[%i][%at], %mask, %v : memref<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @alloc() kernel {
    // expected-error@+1 {{'memref.alloc' op is not supported in a kernel}}
    %0 = memref.alloc() : memref<4xf32>
    "test.use"(%0) : (memref<4xf32>) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has an argument of type 'tensor<4xf32>', which is not supported}}
  gpu.func @tensor(%x: tensor<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{'gpu.func' op has an argument of type '!llvm.ptr<1>', which is not supported}}
  gpu.func @space(%x: !llvm.ptr<1>) kernel {
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @launch(%n: index) {
    // expected-error@+1 {{'gpu.launch_func' op is not supported: expected no clusters and no tokens}}
    %token = gpu.launch_func async @kernels::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

func.func @host() {
  // expected-error@+1 {{'gpu.wait' op is not supported on the SIMT target}}
  gpu.wait
  return
}
