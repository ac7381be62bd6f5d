// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu --split-input-file --verify-diagnostics

// expected-error @+1 {{is not batched}}
dynbatch.kernel private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
