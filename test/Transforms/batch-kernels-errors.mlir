// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-batch-kernels))' --split-input-file --verify-diagnostics

dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = builtin.unrealized_conversion_cast %x : tensor<4xf32> to tensor<4xi32>
  // expected-error @-1 {{cannot be batched: it does not implement BatchableOpInterface}}
  %z = builtin.unrealized_conversion_cast %y : tensor<4xi32> to tensor<4xf32>
  dynbatch.return %z : tensor<4xf32>
}
