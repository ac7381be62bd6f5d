// RUN: dynbatch-opt %s --dynbatch-form-blocks --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{cannot be batched: result #0 of type 'tensor<?xf32>' has no static shape}}
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.generate' op cannot be batched: it does not implement BatchableOpInterface}}
  %0 = tensor.generate {
  ^bb0(%i: index):
    %1 = tensor.extract %x[%i] : tensor<4xf32>
    tensor.yield %1 : f32
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A host that reads a dynamic shape.

func.func @main(%x: tensor<?xf32>, %i: index) -> f32 {
  // expected-error @below {{'tensor.extract' op cannot be batched: it does not implement BatchableOpInterface}}
  %0 = tensor.extract %x[%i] : tensor<?xf32>
  return %0 : f32
}

// -----

func.func @main(%m: memref<4xf32>) {
  // expected-error @below {{'linalg.exp' op has side effects, but instance programs must be pure}}
  linalg.exp ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return
}

// -----

ml_program.global private mutable @W(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main() -> tensor<4xf32> {
  // expected-error @below {{has side effects, but instance programs must be pure}}
  %0 = ml_program.global_load @W : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Also in the regions of control flow.

func.func @main(%c: i1, %x: memref<i32>, %i: i32) {
  scf.if %c {
    // expected-error @below {{has side effects, but instance programs must be pure}}
    memref.store %i, %x[] : memref<i32>
  }
  return
}

// -----

func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  // expected-error @below {{cannot be batched: a task cannot have a value of type 'tensor<4xcomplex<f32>>'}}
  %0 = linalg.copy ins(%x : tensor<4xcomplex<f32>>) outs(%e : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>, %xs: !dynbatch.seq<f32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{cannot be batched}}
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %1 = dynbatch.get %xs[%i] : !dynbatch.seq<f32>
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%f: (tensor<4xf32>) -> tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is an indirect call, but which kernels a program may run must be known}}
  %0 = call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.forall (%i) in (4) shared_outs(%out = %x) -> tensor<4xf32> {
    // expected-error @below {{'scf.forall.in_parallel' op cannot be batched: its region is not control flow of one instance}}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %out[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return %0 : tensor<4xf32>
}
