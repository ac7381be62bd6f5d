// RUN: dynbatch-opt %s --dynbatch-hoist-prologue --split-input-file --verify-diagnostics

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-error @below {{cannot be the prologue: expected a 'func.func' of one block, without arguments and results}}
func.func private @prologue(%x: tensor<4xf32>) attributes {dynbatch.prologue} {
  return
}
func.func @main() -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = math.exp %W : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-error @below {{cannot be the prologue}}
func.func private @prologue() attributes {dynbatch.prologue}
func.func @main() -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = math.exp %W : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

ml_program.global private @W(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
// expected-error @below {{cannot be the prologue}}
ml_program.func private @prologue() attributes {dynbatch.prologue} {
  ml_program.return
}
func.func @main() -> tensor<4xf32> {
  %W = ml_program.global_load_const @W : tensor<4xf32>
  %0 = math.exp %W : tensor<4xf32>
  return %0 : tensor<4xf32>
}
