// RUN: dynbatch-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{rows cannot be of type 'tensor<?xf32>': expected a scalar or a tensor of static shape}}
func.func private @f(!dynbatch.rows<tensor<?xf32>>)

// -----

// expected-error @+1 {{rows cannot be of type '!dynbatch.seq<i32>'}}
func.func private @f(!dynbatch.rows<!dynbatch.seq<i32>>)

// -----

// expected-error @+1 {{operand #1 cannot be of type 'tensor<?xf32>': expected a scalar or a tensor of static shape}}
dynbatch.kernel @k(%i: i32, %x: tensor<?xf32>) {
  dynbatch.return
}

// -----

// expected-error @+1 {{operand #0 cannot be of type '!dynbatch.seq<i32>'}}
dynbatch.kernel @k(%xs: !dynbatch.seq<i32>) {
  dynbatch.return
}

// -----

// expected-error @+1 {{result #0 cannot be of type 'i32': expected a tensor of static shape}}
dynbatch.kernel @k(%i: i32) -> i32 {
  dynbatch.return %i : i32
}

// -----

// expected-error @+1 {{'order_by' must be the number of an operand that is a tensor}}
dynbatch.kernel @k(%i: i32) attributes {order_by = 0 : i64} {
  dynbatch.return
}

// -----

// expected-error @+1 {{'order_by' must be the number of an operand that is a tensor}}
dynbatch.kernel @k(%x: tensor<2xf32>) attributes {order_by = 1 : i64} {
  dynbatch.return
}

// -----

// expected-error @+1 {{'turn' needs a 'cyclic' stage}}
dynbatch.kernel @k() attributes {stage = 0 : i64, turn = #dynbatch.turn<first>} {
  dynbatch.return
}

// -----

// expected-error @+1 {{'part' belongs to a kernel whose 'turn' is 'once' or 'steps'}}
dynbatch.kernel @k() attributes {cyclic, stage = 0 : i64, turn = #dynbatch.turn<steps>} {
  dynbatch.return
}

// -----

// expected-error @+1 {{'part' belongs to a kernel whose 'turn' is 'once' or 'steps'}}
dynbatch.kernel @k() attributes {cyclic, part = 0 : i64, stage = 0 : i64, turn = #dynbatch.turn<first>} {
  dynbatch.return
}

// -----

// expected-error @+1 {{'part' belongs to a kernel whose 'turn' is 'once' or 'steps'}}
dynbatch.kernel @k() attributes {cyclic, part = 0 : i64, stage = 0 : i64} {
  dynbatch.return
}

// -----

// expected-error @+1 {{'cyclic' needs a 'stage'}}
dynbatch.kernel @k() attributes {cyclic} {
  dynbatch.return
}

// -----

// expected-error @+1 {{without a body needs an 'implementation'}}
dynbatch.kernel private @k()

// -----

// expected-error @+1 {{has both a body and an 'implementation'}}
dynbatch.kernel @k() attributes {implementation = @f} {
  dynbatch.return
}

// -----

// expected-error @+1 {{must end with a 'dynbatch.return'}}
dynbatch.kernel @k() {
  llvm.unreachable
}

// -----

// expected-error @+1 {{expected non-empty function body}}
dynbatch.kernel @k() {
}

// -----

// expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
dynbatch.kernel @k() {
  cf.br ^next
^next:
  dynbatch.return
}

// -----

// expected-error @+1 {{batched for tasks '(tensor<4xf32>) -> tensor<f32>' must have type '(index, !dynbatch.rows<tensor<4xf32>>, !dynbatch.rows<tensor<f32>>) -> ()', but has '(index, !dynbatch.rows<tensor<4xf32>>) -> ()'}}
dynbatch.kernel @k(%n: index, %x: !dynbatch.rows<tensor<4xf32>>) attributes {task_type = (tensor<4xf32>) -> tensor<f32>} {
  dynbatch.return
}

// -----

// expected-error @+1 {{operand #0 cannot be of type 'tensor<?xf32>'}}
dynbatch.kernel @k(%n: index) attributes {task_type = (tensor<?xf32>) -> ()} {
  dynbatch.return
}

// -----

func.func @nested() {
  // expected-error @+1 {{expects parent op 'builtin.module'}}
  dynbatch.kernel @k() {
    dynbatch.return
  }
  return
}

// -----

// A task does not see the values around its kernel.
%c = arith.constant dense<0.0> : tensor<4xf32>
// expected-note @+1 {{required by region isolation constraints}}
dynbatch.kernel @k() -> tensor<4xf32> {
  // expected-error @+1 {{using value defined outside the region}}
  "dynbatch.return"(%c) : (tensor<4xf32>) -> ()
}

// -----

dynbatch.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{returns (), but the kernel's results are ('tensor<4xf32>')}}
  dynbatch.return
}

// -----

func.func @return() {
  // expected-error @+1 {{expects parent op 'dynbatch.kernel'}}
  dynbatch.return
}

// -----

func.func @enqueue() {
  // expected-error @+1 {{unknown kernel @k}}
  dynbatch.enqueue @k() : () -> ()
  return
}

// -----

func.func private @f()
func.func @enqueue() {
  // expected-error @+1 {{unknown kernel @f}}
  dynbatch.enqueue @f() : () -> ()
  return
}

// -----

dynbatch.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @enqueue(%x: tensor<5xf32>) {
  // expected-error @+1 {{does not fit kernel @k of type '(tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = dynbatch.enqueue @k(%x) : (tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

dynbatch.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  dynbatch.return %x : tensor<4xf32>
}
func.func @enqueue(%x: tensor<4xf32>) {
  // expected-error @+1 {{does not fit kernel @k}}
  dynbatch.enqueue @k(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

// Tasks of a batched kernel still have the operands of one task.
dynbatch.kernel @k(%n: index, %x: !dynbatch.rows<tensor<4xf32>>) attributes {task_type = (tensor<4xf32>) -> ()} {
  dynbatch.return
}
func.func @enqueue(%n: index) {
  // expected-error @+1 {{does not fit kernel @k of type '(tensor<4xf32>) -> ()'}}
  dynbatch.enqueue @k(%n) : (index) -> ()
  return
}

// -----

dynbatch.kernel @k() attributes {stage = 0 : i64, cyclic} {
  dynbatch.return
}
func.func @enqueue() {
  // expected-error @+1 {{kernel @k stands in a cyclic stage: a depth is needed}}
  dynbatch.enqueue @k() : () -> ()
  return
}

// -----

dynbatch.kernel @k() attributes {stage = 0 : i64} {
  dynbatch.return
}
func.func @enqueue(%d: index) {
  // expected-error @+1 {{kernel @k stands in a stage that is not cyclic: it has no depth}}
  dynbatch.enqueue @k() depth(%d) : () -> ()
  return
}

// -----

func.func @depth(%x: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = dynbatch.depth %x in 0 : tensor<?xf32>
  return
}

// -----

func.func @define(%x: tensor<4xf32>) attributes {dynbatch.prologue} {
  // expected-error @+1 {{unknown global @p}}
  dynbatch.define @p = %x : tensor<4xf32>
  return
}

// -----

ml_program.global private @p(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @define(%x: tensor<5xf32>) attributes {dynbatch.prologue} {
  // expected-error @+1 {{global @p is 'tensor<4xf32>', but the value is 'tensor<5xf32>'}}
  dynbatch.define @p = %x : tensor<5xf32>
  return
}

// -----

ml_program.global private @p(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @define(%x: tensor<4xf32>) {
  // expected-error @+1 {{must stand in the prologue}}
  dynbatch.define @p = %x : tensor<4xf32>
  return
}

// -----

ml_program.global private @p(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @define(%x: tensor<4xf32>) attributes {dynbatch.prologue} {
  // expected-error @+1 {{global @p must be immutable and external}}
  dynbatch.define @p = %x : tensor<4xf32>
  return
}

// -----

ml_program.global private mutable @p(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @define(%x: tensor<4xf32>) attributes {dynbatch.prologue} {
  // expected-error @+1 {{global @p must be immutable and external}}
  dynbatch.define @p = %x : tensor<4xf32>
  return
}

// -----

func.func @gather(%x: !dynbatch.rows<tensor<4xf32>>, %i: index) {
  // expected-error @+1 {{rows of '!dynbatch.rows<tensor<4xf32>>' form 'tensor<?x4xf32>', not 'tensor<?x5xf32>'}}
  %0 = dynbatch.gather %x[%i, %i] : !dynbatch.rows<tensor<4xf32>> -> tensor<?x5xf32>
  return
}

// -----

func.func @gather(%x: !dynbatch.rows<i32>, %i: index) {
  // expected-error @+1 {{rows of '!dynbatch.rows<i32>' form 'tensor<?xi32>', not 'tensor<i32>'}}
  %0 = dynbatch.gather %x[%i, %i] : !dynbatch.rows<i32> -> tensor<i32>
  return
}

// -----

func.func @scatter(%t: tensor<4x?xf32>, %x: !dynbatch.rows<tensor<4xf32>>, %i: index) {
  // expected-error @+1 {{rows of '!dynbatch.rows<tensor<4xf32>>' form 'tensor<?x4xf32>', not 'tensor<4x?xf32>'}}
  dynbatch.scatter %t into %x[%i] : tensor<4x?xf32>, !dynbatch.rows<tensor<4xf32>>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %W: tensor<4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{weights must be panels x K x width, but are 'tensor<4x32xf32>'}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x4xf32>, tensor<4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x?xf32>) {
  // expected-error @+1 {{the accumulator must be rows x N with static N, but is 'tensor<3x?xf32>'}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x4xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x?xf32>) -> tensor<3x?xf32>
  return
}

// -----

func.func @panel(%x: !dynbatch.rows<tensor<4xf32>>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{a varying operand needs the first row}}
  %0 = dynbatch.panel_matmul ins(%x, %W : !dynbatch.rows<tensor<4xf32>>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %i: index, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{a first row is only for varying operands}}
  %0 = dynbatch.panel_matmul ins(%x[%i], %W : tensor<3x4xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: !dynbatch.rows<f32>, %i: index, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{rows must be vectors, but are 'f32'}}
  %0 = dynbatch.panel_matmul ins(%x[%i], %W : !dynbatch.rows<f32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<4xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{the left operand must be rows x K, but is 'tensor<4xf32>'}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<4xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x?xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{the left operand needs a static K, but is 'tensor<3x?xf32>'}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x?xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<2x4xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{the left operand has 2 rows, but the accumulator has 3}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<2x4xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x5xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{rows have 5 elements, but K is 4}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x5xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x33xf32>) {
  // expected-error @+1 {{33 columns need 2 panels of width 32, but there are 1}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x4xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x33xf32>) -> tensor<3x33xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %W: tensor<0x4x0xf32>, %acc: tensor<3x33xf32>) {
  // expected-error @+1 {{the width of a panel must be positive}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x4xf32>, tensor<0x4x0xf32>) outs(%acc : tensor<3x33xf32>) -> tensor<3x33xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{the result is the accumulator's tensor}}
  dynbatch.panel_matmul ins(%x, %W : tensor<3x4xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>)
  return
}

// -----

func.func @panel(%x: memref<3x4xf32>, %W: memref<1x4x32xf32>, %acc: memref<3x32xf32>) {
  // expected-error @+1 {{the result is the accumulator's tensor}}
  %0 = dynbatch.panel_matmul ins(%x, %W : memref<3x4xf32>, memref<1x4x32xf32>) outs(%acc : memref<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<*xf32>, %W: tensor<1x4x32xf32>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<*xf32>, tensor<1x4x32xf32>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xbf16>, %W: tensor<1x4x32xbf16>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{rows and accumulator must be f32, but are 'bf16' and 'f32'}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x4xbf16>, tensor<1x4x32xbf16>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}

// -----

func.func @panel(%x: tensor<3x4xf32>, %W: tensor<1x4x32xf64>, %acc: tensor<3x32xf32>) {
  // expected-error @+1 {{weights must be f32, f16 or bf16, but are 'f64'}}
  %0 = dynbatch.panel_matmul ins(%x, %W : tensor<3x4xf32>, tensor<1x4x32xf64>) outs(%acc : tensor<3x32xf32>) -> tensor<3x32xf32>
  return
}
