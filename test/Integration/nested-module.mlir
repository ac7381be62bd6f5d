// A host compiler keeps an instance program in a module of its own: the pipelines
// run there and leave what is around it alone, also a symbol of the same name.

// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(builtin.module(dynbatch-pipeline))' | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(builtin.module(dynbatch-reference-pipeline))' | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(builtin.module(dynbatch-simt-pipeline))' | FileCheck %s
// RUN: dynbatch-opt %s --pass-pipeline='builtin.module(builtin.module(dynbatch-cuda-pipeline{format=isa}))' | FileCheck %s

// CHECK:      module {
// CHECK-NEXT:   ml_program.global private @W(dense<1.000000e+00> : tensor<2xf32>) : tensor<2xf32>
// CHECK-NEXT:   func.func @main(%{{.*}}: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:     %{{.*}} = arith.addf %{{.*}} : tensor<2xf32>
// CHECK:        module @model
// CHECK-NOT:      dynbatch.{{(kernel|enqueue|match)}}
// CHECK:          llvm.mlir.global external constant @dynbatch_module

ml_program.global private @W(dense<1.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

module @model {
  dynbatch.adt @List {
    dynbatch.ctor @Nil()
    dynbatch.ctor @Cons(tensor<4xf32>, !dynbatch.adt<@List>)
  }
  ml_program.global private @W(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
  func.func @main(%list: !dynbatch.adt<@List>) -> tensor<4xf32> attributes {dynbatch.entry} {
    %h = dynbatch.match %list : !dynbatch.adt<@List> -> tensor<4xf32>
      case @Nil() {
        %zero = arith.constant dense<0.0> : tensor<4xf32>
        dynbatch.yield %zero : tensor<4xf32>
      }
      case @Cons(%x: tensor<4xf32>, %rest: !dynbatch.adt<@List>) {
        %r = func.call @main(%rest) : (!dynbatch.adt<@List>) -> tensor<4xf32>
        %W = ml_program.global_load_const @W : tensor<4x4xf32>
        %y = linalg.matvec ins(%W, %r : tensor<4x4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
        dynbatch.yield %y : tensor<4xf32>
      }
    return %h : tensor<4xf32>
  }
}
