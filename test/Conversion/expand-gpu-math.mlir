// RUN: dynbatch-opt %s --pass-pipeline="builtin.module(gpu.module(dynbatch-expand-gpu-math))" | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: func.func @native(
  // CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32
  func.func @native(%a: f32, %b: f32, %c: f32) -> f32 {
    // CHECK: llvm.call_intrinsic "llvm.fma"(%[[A]], %[[B]], %[[C]]) : (f32, f32, f32) -> f32
    // CHECK: llvm.call_intrinsic "llvm.maxnum"(
    // CHECK: llvm.call_intrinsic "llvm.fabs"(
    // CHECK: llvm.call_intrinsic "llvm.sqrt"(
    // CHECK: llvm.call_intrinsic "llvm.copysign"(
    %0 = math.fma %a, %b, %c : f32
    %1 = arith.maxnumf %0, %b : f32
    %2 = math.absf %1 : f32
    %3 = math.sqrt %2 : f32
    %4 = math.copysign %3, %a : f32
    return %4 : f32
  }

  // No function of a library is left.
  // CHECK-LABEL: func.func @functions(
  // CHECK-NOT: math.
  // CHECK: return
  func.func @functions(%a: f32, %b: f32, %i: i32) -> f32 {
    %0 = math.exp %a : f32
    %1 = math.tanh %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.log %2 : f32
    %4 = math.sin %3 : f32
    %5 = math.rsqrt %4 : f32
    %6 = math.powf %5, %b : f32
    %7 = math.sinh %6 : f32
    %8 = math.log1p %7 : f32
    %9 = math.expm1 %8 : f32
    %10 = math.atan2 %9, %b : f32
    return %10 : f32
  }

  // CHECK-LABEL: func.func @half(
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK-NOT: math.
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  func.func @half(%a: f16) -> f16 {
    %0 = math.exp %a : f16
    return %0 : f16
  }

  // CHECK-LABEL: func.func @classes(
  // CHECK-SAME: %[[A:.*]]: f32
  func.func @classes(%a: f32) -> (i1, i1, i1) {
    // CHECK: arith.cmpf uno, %[[A]], %[[A]]
    %0 = math.isnan %a : f32
    // CHECK: arith.cmpf oeq
    %1 = math.isinf %a : f32
    // CHECK: arith.cmpf olt
    %2 = math.isfinite %a : f32
    return %0, %1, %2 : i1, i1, i1
  }

  // There is no approximation of f64 functions: the device library has them.
  // CHECK-LABEL: func.func @wide(
  // CHECK: math.exp %{{.*}} : f64
  func.func @wide(%a: f64) -> f64 {
    %0 = math.exp %a : f64
    return %0 : f64
  }
}
