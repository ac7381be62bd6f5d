// Two functions over two mutually recursive ADTs; the result is a data
// structure that holds computed tensors.

// RUN: split-file %s %t
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --target=reference --output=%t/reference.txt
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --verify-schedule --output=%t/cpu.txt
// RUN: %python %numpy/compare.py %t/reference.txt %t/cpu.txt --tolerance 1e-6
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances.txt --params=random:5 --batch-size=2 --output=%t/pairs.txt
// RUN: diff %t/cpu.txt %t/pairs.txt
// RUN: FileCheck %s < %t/cpu.txt

// CHECK:      (Text [{{[^]]*}}] 2)
// CHECK-NEXT: (Text [{{[^]]*}}] 0)
// CHECK-NEXT: Silence

//--- instances.txt
(Open 1 [(Word 3) (Group (Open 2 [(Word 0)]))])
(Open 3 [])
Closed

//--- model.mlir
dynbatch.adt @List {
  dynbatch.ctor @Open(i32, !dynbatch.seq<!dynbatch.adt<@Item>>)
  dynbatch.ctor @Closed()
}
dynbatch.adt @Item {
  dynbatch.ctor @Word(i32)
  dynbatch.ctor @Group(!dynbatch.adt<@List>)
}
dynbatch.adt @Answer {
  dynbatch.ctor @Silence()
  dynbatch.ctor @Text(tensor<4xf32>, index)
}
ml_program.global private @E(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @A(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>
ml_program.global private @B(#ml_program.extern<tensor<4x4xf32>>) : tensor<4x4xf32>

func.func private @list(%l: !dynbatch.adt<@List>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = dynbatch.match %l : !dynbatch.adt<@List> -> tensor<4xf32>
    case @Closed() {
      dynbatch.yield %zero : tensor<4xf32>
    }
    case @Open(%w: i32, %items: !dynbatch.seq<!dynbatch.adt<@Item>>) {
      %E = ml_program.global_load_const @E : tensor<4x4xf32>
      %x = dynbatch.lookup %E[%w] : tensor<4x4xf32>, i32 -> tensor<4xf32>
      %sum = dynbatch.scan (%i = %items : !dynbatch.seq<!dynbatch.adt<@Item>>) carry(%acc = %x : tensor<4xf32>) {
        %v = func.call @item(%i) : (!dynbatch.adt<@Item>) -> tensor<4xf32>
        %s = arith.addf %acc, %v : tensor<4xf32>
        dynbatch.yield %s : tensor<4xf32>
      }
      %A = ml_program.global_load_const @A : tensor<4x4xf32>
      %z = linalg.matvec ins(%A, %sum : tensor<4x4xf32>, tensor<4xf32>) outs(%zero : tensor<4xf32>) -> tensor<4xf32>
      %h = math.tanh %z : tensor<4xf32>
      dynbatch.yield %h : tensor<4xf32>
    }
  return %r : tensor<4xf32>
}

func.func private @item(%i: !dynbatch.adt<@Item>) -> tensor<4xf32> {
  %r = dynbatch.match %i : !dynbatch.adt<@Item> -> tensor<4xf32>
    case @Word(%w: i32) {
      %E = ml_program.global_load_const @E : tensor<4x4xf32>
      %x = dynbatch.lookup %E[%w] : tensor<4x4xf32>, i32 -> tensor<4xf32>
      dynbatch.yield %x : tensor<4xf32>
    }
    case @Group(%l: !dynbatch.adt<@List>) {
      %h = func.call @list(%l) : (!dynbatch.adt<@List>) -> tensor<4xf32>
      %B = ml_program.global_load_const @B : tensor<4x4xf32>
      %z = linalg.matvec ins(%B, %h : tensor<4x4xf32>, tensor<4xf32>) outs(%h : tensor<4xf32>) -> tensor<4xf32>
      %e = math.exp %z : tensor<4xf32>
      dynbatch.yield %e : tensor<4xf32>
    }
  return %r : tensor<4xf32>
}

func.func @main(%l: !dynbatch.adt<@List>) -> !dynbatch.adt<@Answer> attributes {dynbatch.entry} {
  %h = call @list(%l) : (!dynbatch.adt<@List>) -> tensor<4xf32>
  %a = dynbatch.match %l : !dynbatch.adt<@List> -> !dynbatch.adt<@Answer>
    case @Closed() {
      %s = dynbatch.construct @Silence() : () -> !dynbatch.adt<@Answer>
      dynbatch.yield %s : !dynbatch.adt<@Answer>
    }
    case @Open(%w: i32, %items: !dynbatch.seq<!dynbatch.adt<@Item>>) {
      %n = dynbatch.length %items : !dynbatch.seq<!dynbatch.adt<@Item>>
      %t = dynbatch.construct @Text(%h, %n) : (tensor<4xf32>, index) -> !dynbatch.adt<@Answer>
      dynbatch.yield %t : !dynbatch.adt<@Answer>
    }
  return %a : !dynbatch.adt<@Answer>
}
