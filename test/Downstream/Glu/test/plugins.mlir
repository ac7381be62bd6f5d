// Both plugins in LLVM's own mlir-opt: glu.gate is known to dynbatch's passes there.

// RUN: mlir-opt --load-dialect-plugin=%dynbatch_plugin --load-pass-plugin=%dynbatch_plugin --load-dialect-plugin=%glu_plugin --load-pass-plugin=%glu_plugin %models/list.mlir --pass-pipeline='builtin.module(glu-pipeline)' | FileCheck %s
// RUN: glu-opt %models/list.mlir --dynbatch-pipeline -o %t
// RUN: mlir-opt --load-dialect-plugin=%dynbatch_plugin --load-pass-plugin=%dynbatch_plugin --load-dialect-plugin=%glu_plugin --load-pass-plugin=%glu_plugin %models/list.mlir --pass-pipeline='builtin.module(glu-pipeline)' | diff - %t

// CHECK-NOT: glu.
// CHECK:     llvm.mlir.global external constant @dynbatch_module

// The same in dynbatch-opt.

// RUN: %dynbatch_opt --load-dialect-plugin=%glu_plugin --load-pass-plugin=%glu_plugin %models/list.mlir --pass-pipeline='builtin.module(glu-pipeline)' | diff - %t
