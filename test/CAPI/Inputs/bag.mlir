// The scaled sum of the vectors of a list's words; the list and the scale come
// back with it.
dynbatch.adt @List {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(i32, !dynbatch.adt<@List>)
}
ml_program.global private @E(#ml_program.extern<tensor<10x2xf32>>) : tensor<10x2xf32>

func.func private @sum(%list: !dynbatch.adt<@List>) -> tensor<2xf32> {
  %r = dynbatch.match %list : !dynbatch.adt<@List> -> tensor<2xf32>
    case @Nil() {
      %zero = arith.constant dense<0.0> : tensor<2xf32>
      dynbatch.yield %zero : tensor<2xf32>
    }
    case @Cons(%word: i32, %rest: !dynbatch.adt<@List>) {
      %E = ml_program.global_load_const @E : tensor<10x2xf32>
      %x = dynbatch.lookup %E[%word] : tensor<10x2xf32>, i32 -> tensor<2xf32>
      %y = func.call @sum(%rest) : (!dynbatch.adt<@List>) -> tensor<2xf32>
      %s = arith.addf %x, %y : tensor<2xf32>
      dynbatch.yield %s : tensor<2xf32>
    }
  return %r : tensor<2xf32>
}
func.func @main(%list: !dynbatch.adt<@List>, %scale: f32)
    -> (tensor<2xf32>, !dynbatch.adt<@List>, f32) attributes {dynbatch.entry} {
  %s = call @sum(%list) : (!dynbatch.adt<@List>) -> tensor<2xf32>
  %f = tensor.splat %scale : tensor<2xf32>
  %y = arith.mulf %s, %f : tensor<2xf32>
  return %y, %list, %scale : tensor<2xf32>, !dynbatch.adt<@List>, f32
}
