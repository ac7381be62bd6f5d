// RUN: dynbatch-opt %s --dynbatch-expand-bf16 | FileCheck %s

// CHECK-LABEL: func.func @extend(
// CHECK-NOT:     extf
// CHECK:         arith.extui %{{.*}} : i16 to i32
// CHECK:         arith.shli
func.func @extend(%a: bf16) -> f32 {
  %0 = arith.extf %a : bf16 to f32
  return %0 : f32
}

// CHECK-LABEL: func.func @truncate(
// CHECK-NOT:     truncf
// CHECK:         arith.trunci %{{.*}} : vector<8xi32> to vector<8xi16>
func.func @truncate(%a: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %a : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// One rounding: the f32 in between is odd where it is not exact.

// CHECK-LABEL: func.func @truncate_f64(
// CHECK-SAME:    %[[A:.*]]: f64)
// CHECK:         %[[F:.*]] = arith.truncf %[[A]] : f64 to f32
// CHECK:         %[[BACK:.*]] = arith.extf %[[F]] : f32 to f64
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[F]] : f32 to i32
// CHECK:         arith.cmpf one, %[[BACK]], %[[A]]
// CHECK:         arith.subi %[[BITS]]
// CHECK:         arith.ori
// CHECK-NOT:     to bf16
// CHECK:         arith.trunci %{{.*}} : i32 to i16
func.func @truncate_f64(%a: f64) -> bf16 {
  %0 = arith.truncf %a : f64 to bf16
  return %0 : bf16
}

// Other types have instructions.

// CHECK-LABEL: func.func @half(
// CHECK:         arith.extf %{{.*}} : f16 to f32
func.func @half(%a: f16) -> f32 {
  %0 = arith.extf %a : f16 to f32
  return %0 : f32
}
