// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-gpu --split-input-file --verify-diagnostics
// RUN: not dynbatch-opt %s --pass-pipeline="builtin.module(convert-dynbatch-kernel-to-gpu{tile-rows=48})" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not dynbatch-opt %s --pass-pipeline="builtin.module(convert-dynbatch-kernel-to-gpu{tile-columns=128})" 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: not dynbatch-opt %s --pass-pipeline="builtin.module(convert-dynbatch-kernel-to-gpu{threads=0})" 2>&1 | FileCheck %s --check-prefix=THREADS

// ROWS: error: convert-dynbatch-kernel-to-gpu: tile-rows must be a power of two from 1 to 64, but is 48
// COLUMNS: error: convert-dynbatch-kernel-to-gpu: tile-columns must be a power of two from 1 to 64, but is 128
// THREADS: error: convert-dynbatch-kernel-to-gpu: threads must be a power of two from 32 to 1024, but is 0

// expected-error @below {{'dynbatch.kernel' op is not batched: run dynbatch-batch-kernels first}}
dynbatch.kernel private @single(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}

// -----

ml_program.global private @table(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
dynbatch.kernel private @internal(%n: index, %r: !dynbatch.rows<tensor<4xf32>>) attributes {task_type = () -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'ml_program.global_load_const' op loads 'table', which is not a parameter}}
  %s = ml_program.global_load_const @table : tensor<4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %b = linalg.broadcast ins(%s : tensor<4xf32>) outs(%e : tensor<?x4xf32>) dimensions = [0]
  dynbatch.scatter %b into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}

// -----

dynbatch.kernel private @tiled(%n: index, %x: !dynbatch.rows<tensor<4xf32>>, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = (tensor<4xf32>) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op cannot be lowered for a GPU: it is not known how}}
  scf.for %i = %c0 to %n step %c1 {
    %0 = dynbatch.gather %x[%i, %c1] : !dynbatch.rows<tensor<4xf32>> -> tensor<1x4xf32>
    dynbatch.scatter %0 into %r[%i] : tensor<1x4xf32>, !dynbatch.rows<tensor<4xf32>>
  }
  dynbatch.return
}

// -----

dynbatch.kernel private @part(%n: index, %x: !dynbatch.rows<tensor<4xf32>>, %r: !dynbatch.rows<tensor<4xf32>>)
    attributes {task_type = (tensor<4xf32>) -> tensor<4xf32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'dynbatch.gather' op cannot be lowered for a GPU: it does not gather the whole batch}}
  %0 = dynbatch.gather %x[%c1, %n] : !dynbatch.rows<tensor<4xf32>> -> tensor<?x4xf32>
  dynbatch.scatter %0 into %r[%c0] : tensor<?x4xf32>, !dynbatch.rows<tensor<4xf32>>
  dynbatch.return
}

// -----

dynbatch.kernel private @generate(%n: index, %r: !dynbatch.rows<tensor<4xi32>>) attributes {task_type = () -> tensor<4xi32>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  // expected-error @below {{'tensor.generate' op cannot be lowered for a GPU: it is not known how}}
  %0 = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    tensor.yield %c7 : i32
  } : tensor<?x4xi32>
  dynbatch.scatter %0 into %r[%c0] : tensor<?x4xi32>, !dynbatch.rows<tensor<4xi32>>
  dynbatch.return
}

// -----

dynbatch.kernel private @body(%n: index, %x: !dynbatch.rows<tensor<4xi32>>, %r: !dynbatch.rows<tensor<4xi32>>)
    attributes {task_type = (tensor<4xi32>) -> tensor<4xi32>} {
  %table = arith.constant dense<3> : tensor<1xi32>
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %0 = dynbatch.gather %x[%c0, %n] : !dynbatch.rows<tensor<4xi32>> -> tensor<?x4xi32>
  %e = tensor.empty(%n) : tensor<?x4xi32>
  // expected-error @below {{'linalg.generic' op cannot be lowered for a GPU: 'tensor.extract' in a region of its body}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<?x4xi32>) outs(%e : tensor<?x4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %2 = arith.cmpi slt, %a, %c7 : i32
    %3 = scf.if %2 -> i32 {
      scf.yield %a : i32
    } else {
      %4 = tensor.extract %table[%c0] : tensor<1xi32>
      scf.yield %4 : i32
    }
    linalg.yield %3 : i32
  } -> tensor<?x4xi32>
  dynbatch.scatter %1 into %r[%c0] : tensor<?x4xi32>, !dynbatch.rows<tensor<4xi32>>
  dynbatch.return
}
