// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu -canonicalize | FileCheck %s

// The rows of the left operand, which lie anywhere, are listed in a table; the
// cache is asked for both of their lines there.

// CHECK-LABEL: func.func private @gathered_cpu(
// CHECK:         %[[TABLE:.*]] = llvm.alloca
// CHECK:         llvm.store %[[ROW:.*]], %{{.*}} : i64, !llvm.ptr
// CHECK-NEXT:    %[[START:.*]] = llvm.inttoptr %[[ROW]]
// CHECK-NEXT:    "llvm.intr.prefetch"(%[[START]])
// CHECK-NEXT:    %[[NEXT:.*]] = llvm.getelementptr %[[START]][64]
// CHECK-NEXT:    "llvm.intr.prefetch"(%[[NEXT]])
// CHECK-NOT:     "llvm.intr.prefetch"
// CHECK:         func.call @dynbatch_panel_matmul_f32(%[[TABLE]],
// CHECK:         return

// Of long rows only the first 2 KiB.

// CHECK-LABEL: func.func private @long_cpu(
// CHECK-COUNT-32: "llvm.intr.prefetch"
// CHECK-NOT:      "llvm.intr.prefetch"
// CHECK:          return

// A tile whose panel has all columns loads and stores them unmasked.

// CHECK-LABEL: func.func private @dynbatch_panel_matmul_f32_12x1(
// CHECK-SAME:    %[[COLUMNS:[a-z0-9]+]]: index)
// CHECK:         %[[WHOLE:.*]] = arith.cmpi uge, %[[COLUMNS]], %c32
// CHECK:         scf.if %[[WHOLE]]
// CHECK-NOT:     llvm.intr.masked.load
// CHECK:         else
// CHECK-COUNT-12: llvm.intr.masked.load
// CHECK:         scf.for
// CHECK:         scf.if
// CHECK-COUNT-12: llvm.store {{.*}} vector<32xf32>
// CHECK:         else
// CHECK-COUNT-12: llvm.intr.masked.store
// CHECK:         return

ml_program.global private @W(#ml_program.extern<tensor<2x24x32xf32>>) : tensor<2x24x32xf32>
ml_program.global private @V(#ml_program.extern<tensor<2x600x32xf32>>) : tensor<2x600x32xf32>

dynbatch.kernel private @gathered(%n: index, %xs: !dynbatch.rows<tensor<24xf32>>, %ys: !dynbatch.rows<tensor<40xf32>>) attributes {task_type = (tensor<24xf32>) -> tensor<40xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %W = ml_program.global_load_const @W : tensor<2x24x32xf32>
  %e = tensor.empty(%n) : tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %y = dynbatch.panel_matmul ins(%xs[%c0], %W : !dynbatch.rows<tensor<24xf32>>, tensor<2x24x32xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  dynbatch.scatter %y into %ys[%c0] : tensor<?x40xf32>, !dynbatch.rows<tensor<40xf32>>
  dynbatch.return
}

dynbatch.kernel private @long(%n: index, %xs: !dynbatch.rows<tensor<600xf32>>, %ys: !dynbatch.rows<tensor<40xf32>>) attributes {task_type = (tensor<600xf32>) -> tensor<40xf32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %V = ml_program.global_load_const @V : tensor<2x600x32xf32>
  %e = tensor.empty(%n) : tensor<?x40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %y = dynbatch.panel_matmul ins(%xs[%c0], %V : !dynbatch.rows<tensor<600xf32>>, tensor<2x600x32xf32>) outs(%z : tensor<?x40xf32>) -> tensor<?x40xf32>
  dynbatch.scatter %y into %ys[%c0] : tensor<?x40xf32>, !dynbatch.rows<tensor<40xf32>>
  dynbatch.return
}
