// Encoder of programs: statements hold expressions and expressions hold
// statements, so two data types and the functions over them are mutually
// recursive. In the manner of networks over syntax trees (Piech et al. 2015;
// Mou et al. 2016), with a state that statements change and variables read.
// Five classes at the end.
//
// Knob H: small 256, large 512. Values and states.
// Knob V: 20000. Variables.

dynbatch.adt @Expr {
  dynbatch.ctor @Number(f32)
  dynbatch.ctor @Variable(i32)
  dynbatch.ctor @Binary(i32, !dynbatch.adt<@Expr>, !dynbatch.adt<@Expr>)
  dynbatch.ctor @Block(!dynbatch.seq<!dynbatch.adt<@Stmt>>, !dynbatch.adt<@Expr>)
}
dynbatch.adt @Stmt {
  dynbatch.ctor @Skip()
  dynbatch.ctor @Assign(i32, !dynbatch.adt<@Expr>)
  dynbatch.ctor @If(!dynbatch.adt<@Expr>, !dynbatch.seq<!dynbatch.adt<@Stmt>>, !dynbatch.seq<!dynbatch.adt<@Stmt>>)
}

ml_program.global private @number_w(#ml_program.extern<tensor<1x256xf32>>) : tensor<1x256xf32>
ml_program.global private @number_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @variables(#ml_program.extern<tensor<20000x256xf32>>) : tensor<20000x256xf32>
ml_program.global private @variable_U(#ml_program.extern<tensor<256x256xf32>>) : tensor<256x256xf32>
ml_program.global private @operators(#ml_program.extern<tensor<8x256xf32>>) : tensor<8x256xf32>
ml_program.global private @binary_W(#ml_program.extern<tensor<256x512xf32>>) : tensor<256x512xf32>
ml_program.global private @assign_W(#ml_program.extern<tensor<512x768xf32>>) : tensor<512x768xf32>
ml_program.global private @assign_b(#ml_program.extern<tensor<512xf32>>) : tensor<512xf32>
ml_program.global private @if_W(#ml_program.extern<tensor<256x768xf32>>) : tensor<256x768xf32>
ml_program.global private @if_b(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @state(#ml_program.extern<tensor<256xf32>>) : tensor<256xf32>
ml_program.global private @out_W(#ml_program.extern<tensor<5x256xf32>>) : tensor<5x256xf32>
ml_program.global private @out_b(#ml_program.extern<tensor<5xf32>>) : tensor<5xf32>

// The value of an expression in a state.
func.func private @value(%e: !dynbatch.adt<@Expr>, %state: tensor<256xf32>) -> tensor<256xf32> {
  %v = dynbatch.match %e : !dynbatch.adt<@Expr> -> tensor<256xf32>
    case @Number(%n: f32) {
      %w = ml_program.global_load_const @number_w : tensor<1x256xf32>
      %b = ml_program.global_load_const @number_b : tensor<256xf32>
      %w1 = tensor.collapse_shape %w [[0, 1]] : tensor<1x256xf32> into tensor<256xf32>
      %ns = tensor.splat %n : tensor<256xf32>
      %wn = arith.mulf %w1, %ns : tensor<256xf32>
      %z = arith.addf %wn, %b : tensor<256xf32>
      %y = math.tanh %z : tensor<256xf32>
      dynbatch.yield %y : tensor<256xf32>
    }
    case @Variable(%name: i32) {
      %E = ml_program.global_load_const @variables : tensor<20000x256xf32>
      %U = ml_program.global_load_const @variable_U : tensor<256x256xf32>
      %x = dynbatch.lookup %E[%name] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
      %z = linalg.matvec ins(%U, %state : tensor<256x256xf32>, tensor<256xf32>) outs(%x : tensor<256xf32>) -> tensor<256xf32>
      %y = math.tanh %z : tensor<256xf32>
      dynbatch.yield %y : tensor<256xf32>
    }
    case @Binary(%op: i32, %l: !dynbatch.adt<@Expr>, %r: !dynbatch.adt<@Expr>) {
      %O = ml_program.global_load_const @operators : tensor<8x256xf32>
      %W = ml_program.global_load_const @binary_W : tensor<256x512xf32>
      %o = dynbatch.lookup %O[%op] : tensor<8x256xf32>, i32 -> tensor<256xf32>
      %a = func.call @value(%l, %state) : (!dynbatch.adt<@Expr>, tensor<256xf32>) -> tensor<256xf32>
      %b = func.call @value(%r, %state) : (!dynbatch.adt<@Expr>, tensor<256xf32>) -> tensor<256xf32>
      %ab = tensor.concat dim(0) %a, %b : (tensor<256xf32>, tensor<256xf32>) -> tensor<512xf32>
      %z = linalg.matvec ins(%W, %ab : tensor<256x512xf32>, tensor<512xf32>) outs(%o : tensor<256xf32>) -> tensor<256xf32>
      %y = math.tanh %z : tensor<256xf32>
      dynbatch.yield %y : tensor<256xf32>
    }
    // Statements in an expression change the state for its value alone.
    case @Block(%stmts: !dynbatch.seq<!dynbatch.adt<@Stmt>>, %last: !dynbatch.adt<@Expr>) {
      %s = func.call @run_all(%stmts, %state) : (!dynbatch.seq<!dynbatch.adt<@Stmt>>, tensor<256xf32>) -> tensor<256xf32>
      %y = func.call @value(%last, %s) : (!dynbatch.adt<@Expr>, tensor<256xf32>) -> tensor<256xf32>
      dynbatch.yield %y : tensor<256xf32>
    }
  return %v : tensor<256xf32>
}

func.func private @run_all(%stmts: !dynbatch.seq<!dynbatch.adt<@Stmt>>, %state: tensor<256xf32>) -> tensor<256xf32> {
  %last = dynbatch.scan (%stmt = %stmts : !dynbatch.seq<!dynbatch.adt<@Stmt>>) carry(%s = %state : tensor<256xf32>) {
    %n = func.call @run(%stmt, %s) : (!dynbatch.adt<@Stmt>, tensor<256xf32>) -> tensor<256xf32>
    dynbatch.yield %n : tensor<256xf32>
  }
  return %last : tensor<256xf32>
}

// The state after a statement.
func.func private @run(%stmt: !dynbatch.adt<@Stmt>, %state: tensor<256xf32>) -> tensor<256xf32> {
  %s = dynbatch.match %stmt : !dynbatch.adt<@Stmt> -> tensor<256xf32>
    case @Skip() {
      dynbatch.yield %state : tensor<256xf32>
    }
    // A gate between the old state and the new one.
    case @Assign(%name: i32, %e: !dynbatch.adt<@Expr>) {
      %E = ml_program.global_load_const @variables : tensor<20000x256xf32>
      %W = ml_program.global_load_const @assign_W : tensor<512x768xf32>
      %b = ml_program.global_load_const @assign_b : tensor<512xf32>
      %one = arith.constant dense<1.0> : tensor<256xf32>
      %x = dynbatch.lookup %E[%name] : tensor<20000x256xf32>, i32 -> tensor<256xf32>
      %v = func.call @value(%e, %state) : (!dynbatch.adt<@Expr>, tensor<256xf32>) -> tensor<256xf32>
      %xvs = tensor.concat dim(0) %x, %v, %state : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<768xf32>
      %z = linalg.matvec ins(%W, %xvs : tensor<512x768xf32>, tensor<768xf32>) outs(%b : tensor<512xf32>) -> tensor<512xf32>
      %zg = tensor.extract_slice %z[0] [256] [1] : tensor<512xf32> to tensor<256xf32>
      %zn = tensor.extract_slice %z[256] [256] [1] : tensor<512xf32> to tensor<256xf32>
      %neg = arith.negf %zg : tensor<256xf32>
      %exp = math.exp %neg : tensor<256xf32>
      %den = arith.addf %exp, %one : tensor<256xf32>
      %g = arith.divf %one, %den : tensor<256xf32>
      %n = math.tanh %zn : tensor<256xf32>
      %change = arith.subf %n, %state : tensor<256xf32>
      %part = arith.mulf %g, %change : tensor<256xf32>
      %s1 = arith.addf %state, %part : tensor<256xf32>
      dynbatch.yield %s1 : tensor<256xf32>
    }
    // Both ways are taken from the same state, and their ends are mixed.
    case @If(%e: !dynbatch.adt<@Expr>, %yes: !dynbatch.seq<!dynbatch.adt<@Stmt>>, %no: !dynbatch.seq<!dynbatch.adt<@Stmt>>) {
      %W = ml_program.global_load_const @if_W : tensor<256x768xf32>
      %b = ml_program.global_load_const @if_b : tensor<256xf32>
      %c = func.call @value(%e, %state) : (!dynbatch.adt<@Expr>, tensor<256xf32>) -> tensor<256xf32>
      %sy = func.call @run_all(%yes, %state) : (!dynbatch.seq<!dynbatch.adt<@Stmt>>, tensor<256xf32>) -> tensor<256xf32>
      %sn = func.call @run_all(%no, %state) : (!dynbatch.seq<!dynbatch.adt<@Stmt>>, tensor<256xf32>) -> tensor<256xf32>
      %all = tensor.concat dim(0) %c, %sy, %sn : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<768xf32>
      %z = linalg.matvec ins(%W, %all : tensor<256x768xf32>, tensor<768xf32>) outs(%b : tensor<256xf32>) -> tensor<256xf32>
      %s1 = math.tanh %z : tensor<256xf32>
      dynbatch.yield %s1 : tensor<256xf32>
    }
  return %s : tensor<256xf32>
}

func.func @main(%program: !dynbatch.seq<!dynbatch.adt<@Stmt>>) -> tensor<5xf32> attributes {dynbatch.entry} {
  %s0 = ml_program.global_load_const @state : tensor<256xf32>
  %s = call @run_all(%program, %s0) : (!dynbatch.seq<!dynbatch.adt<@Stmt>>, tensor<256xf32>) -> tensor<256xf32>
  %W = ml_program.global_load_const @out_W : tensor<5x256xf32>
  %b = ml_program.global_load_const @out_b : tensor<5xf32>
  %y = linalg.matvec ins(%W, %s : tensor<5x256xf32>, tensor<256xf32>) outs(%b : tensor<5xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}
