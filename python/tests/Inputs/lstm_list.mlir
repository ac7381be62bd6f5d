// An LSTM over the words of a list, from the last word to the first; the cell is
// another module's.
dynbatch.adt @List {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(tensor<1x2xf32>, !dynbatch.adt<@List>)
}
ml_program.global private @weight_ih(#ml_program.extern<tensor<12x2xf32>>) : tensor<12x2xf32>
ml_program.global private @weight_hh(#ml_program.extern<tensor<12x3xf32>>) : tensor<12x3xf32>
ml_program.global private @bias_ih(#ml_program.extern<tensor<12xf32>>) : tensor<12xf32>
ml_program.global private @bias_hh(#ml_program.extern<tensor<12xf32>>) : tensor<12xf32>

func.func private @lstm_cell(tensor<1x2xf32>, tensor<1x3xf32>, tensor<1x3xf32>,
                             tensor<12x2xf32>, tensor<12x3xf32>, tensor<12xf32>,
                             tensor<12xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)

func.func private @lstm(%list: !dynbatch.adt<@List>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %r:2 = dynbatch.match %list : !dynbatch.adt<@List> -> (tensor<1x3xf32>, tensor<1x3xf32>)
    case @Nil() {
      %zero = arith.constant dense<0.0> : tensor<1x3xf32>
      dynbatch.yield %zero, %zero : tensor<1x3xf32>, tensor<1x3xf32>
    }
    case @Cons(%x: tensor<1x2xf32>, %rest: !dynbatch.adt<@List>) {
      %s:2 = func.call @lstm(%rest) : (!dynbatch.adt<@List>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
      %w_ih = ml_program.global_load_const @weight_ih : tensor<12x2xf32>
      %w_hh = ml_program.global_load_const @weight_hh : tensor<12x3xf32>
      %b_ih = ml_program.global_load_const @bias_ih : tensor<12xf32>
      %b_hh = ml_program.global_load_const @bias_hh : tensor<12xf32>
      %t:2 = func.call @lstm_cell(%x, %s#0, %s#1, %w_ih, %w_hh, %b_ih, %b_hh)
        : (tensor<1x2xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<12x2xf32>,
           tensor<12x3xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
      dynbatch.yield %t#0, %t#1 : tensor<1x3xf32>, tensor<1x3xf32>
    }
  return %r#0, %r#1 : tensor<1x3xf32>, tensor<1x3xf32>
}
func.func @main(%list: !dynbatch.adt<@List>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
    attributes {dynbatch.entry} {
  %r:2 = call @lstm(%list) : (!dynbatch.adt<@List>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  return %r#0, %r#1 : tensor<1x3xf32>, tensor<1x3xf32>
}
