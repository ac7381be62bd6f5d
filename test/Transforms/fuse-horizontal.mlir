// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(dynbatch.kernel(dynbatch-fuse-horizontal))' | FileCheck %s

ml_program.global private @Wi(#ml_program.extern<tensor<4x8xf32>>) : tensor<4x8xf32>
ml_program.global private @Wo(#ml_program.extern<tensor<6x8xf32>>) : tensor<6x8xf32>
ml_program.global private @bi(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
ml_program.global private @bo(#ml_program.extern<tensor<6xf32>>) : tensor<6xf32>

// CHECK-LABEL: dynbatch.kernel private @gates
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK:         %[[W:.*]] = tensor.concat dim(0) %Wi, %Wo
// CHECK:         %[[B:.*]] = tensor.concat dim(0) %bi, %bo
// CHECK:         %[[Z:.*]] = linalg.matvec ins(%[[W]], %[[X]] : tensor<10x8xf32>, tensor<8xf32>) outs(%[[B]] : tensor<10xf32>)
// CHECK:         %[[I:.*]] = tensor.extract_slice %[[Z]][0] [4] [1]
// CHECK:         %[[O:.*]] = tensor.extract_slice %[[Z]][4] [6] [1]
// CHECK-NOT:     linalg.matvec
// CHECK:         dynbatch.return %[[I]], %[[O]]
dynbatch.kernel private @gates(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<6xf32>) {
  %Wi = ml_program.global_load_const @Wi : tensor<4x8xf32>
  %bi = ml_program.global_load_const @bi : tensor<4xf32>
  %i = linalg.matvec ins(%Wi, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  %Wo = ml_program.global_load_const @Wo : tensor<6x8xf32>
  %bo = ml_program.global_load_const @bo : tensor<6xf32>
  %o = linalg.matvec ins(%Wo, %x : tensor<6x8xf32>, tensor<8xf32>) outs(%bo : tensor<6xf32>) -> tensor<6xf32>
  dynbatch.return %i, %o : tensor<4xf32>, tensor<6xf32>
}

// Different vectors, a matrix of the task, or an initial value of the task:
// left alone.

// CHECK-LABEL: dynbatch.kernel private @vectors
// CHECK-NOT:     tensor.concat
// CHECK-COUNT-2: linalg.matvec
dynbatch.kernel private @vectors(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %Wi = ml_program.global_load_const @Wi : tensor<4x8xf32>
  %bi = ml_program.global_load_const @bi : tensor<4xf32>
  %i = linalg.matvec ins(%Wi, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  %o = linalg.matvec ins(%Wi, %y : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.return %i, %o : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: dynbatch.kernel private @varying
// CHECK-NOT:     tensor.concat
// CHECK-COUNT-3: linalg.matvec
dynbatch.kernel private @varying(%M: tensor<4x8xf32>, %x: tensor<8xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %Wi = ml_program.global_load_const @Wi : tensor<4x8xf32>
  %bi = ml_program.global_load_const @bi : tensor<4xf32>
  %0 = linalg.matvec ins(%M, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.matvec ins(%Wi, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.matvec ins(%Wi, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Matrices of different types cannot be concatenated.

ml_program.global private @Ni(#ml_program.extern<tensor<4x8xbf16>>) : tensor<4x8xbf16>

// CHECK-LABEL: dynbatch.kernel private @types
// CHECK:         tensor.concat dim(0) %{{.*}}, %{{.*}} : (tensor<4x8xbf16>, tensor<4x8xbf16>)
// CHECK-DAG:     linalg.matvec ins(%{{.*}}, %{{.*}} : tensor<8x8xbf16>, tensor<8xf32>)
// CHECK-DAG:     linalg.matvec ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8xf32>)
dynbatch.kernel private @types(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %Ni = ml_program.global_load_const @Ni : tensor<4x8xbf16>
  %Wi = ml_program.global_load_const @Wi : tensor<4x8xf32>
  %bi = ml_program.global_load_const @bi : tensor<4xf32>
  %0 = linalg.matvec ins(%Ni, %x : tensor<4x8xbf16>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.matvec ins(%Wi, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.matvec ins(%Ni, %x : tensor<4x8xbf16>, tensor<8xf32>) outs(%bi : tensor<4xf32>) -> tensor<4xf32>
  dynbatch.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
