// Without the hooks the gate is still batched, but nothing lowers it.

// RUN: not glu-opt %models/list.mlir --pass-pipeline='builtin.module(dynbatch-normalize,dynbatch-form-blocks,dynbatch-outline-kernels,dynbatch-schedule,dynbatch.kernel(dynbatch-batch-kernels),convert-dynbatch-kernel-to-cpu)' 2>&1 | FileCheck %s --check-prefix=UNLOWERED
// RUN: not glu-opt %s 2>&1 | FileCheck %s

// UNLOWERED: error: 'glu.gate' op cannot be lowered in a kernel for the CPU: it does not implement BufferizableOpInterface

func.func @half(%x: tensor<8xf32>) -> tensor<3xf32> {
  // CHECK: error: 'glu.gate' op expects a result with half of the input's last dimension
  %y = glu.gate %x : tensor<8xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
