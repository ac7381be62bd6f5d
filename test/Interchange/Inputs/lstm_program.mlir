// Folds a cell that PyTorch exports over a list of vectors.
dynbatch.adt @List {
  dynbatch.ctor @Nil()
  dynbatch.ctor @Cons(tensor<3xf32>, !dynbatch.adt<@List>)
}
func.func private @lstm_cell(tensor<1x3xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)

func.func private @fold(%list: !dynbatch.adt<@List>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %s:2 = dynbatch.match %list : !dynbatch.adt<@List> -> (tensor<1x4xf32>, tensor<1x4xf32>)
    case @Nil() {
      %zero = arith.constant dense<0.0> : tensor<1x4xf32>
      dynbatch.yield %zero, %zero : tensor<1x4xf32>, tensor<1x4xf32>
    }
    case @Cons(%row: tensor<3xf32>, %rest: !dynbatch.adt<@List>) {
      %x = tensor.expand_shape %row [[0, 1]] output_shape [1, 3] : tensor<3xf32> into tensor<1x3xf32>
      %p:2 = func.call @fold(%rest) : (!dynbatch.adt<@List>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
      %n:2 = func.call @lstm_cell(%x, %p#0, %p#1) : (tensor<1x3xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
      dynbatch.yield %n#0, %n#1 : tensor<1x4xf32>, tensor<1x4xf32>
    }
  return %s#0, %s#1 : tensor<1x4xf32>, tensor<1x4xf32>
}
func.func @main(%list: !dynbatch.adt<@List>) -> tensor<4xf32> attributes {dynbatch.entry} {
  %s:2 = call @fold(%list) : (!dynbatch.adt<@List>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
  %r = tensor.collapse_shape %s#0 [[0, 1]] : tensor<1x4xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}
