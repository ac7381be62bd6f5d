module attributes {gpu.container_module} {
  dynbatch.kernel private @cell(index, !dynbatch.rows<tensor<64xf32>>, !dynbatch.rows<tensor<64xf32>>) attributes {implementation = @cell_launch, stage = 0 : i64, task_type = (tensor<64xf32>) -> tensor<64xf32>}
  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> attributes {dynbatch.entry} {
    %y = dynbatch.enqueue @cell(%x) : (tensor<64xf32>) -> tensor<64xf32>
    return %y : tensor<64xf32>
  }
  func.func private @cell_launch(%rows: !llvm.ptr, %count: i64, %scratch: !llvm.ptr, %params: !llvm.ptr) {
    %one = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %bytes = arith.constant 256 : i32
    %n = arith.index_cast %count : i64 to index
    %zero = llvm.mlir.constant(0 : i64) : i64
    %unit = llvm.mlir.constant(1 : i64) : i64
    %words = llvm.mlir.constant(2 : i64) : i64
    %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %1 = llvm.insertvalue %rows, %0[0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %2 = llvm.insertvalue %rows, %1[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %3 = llvm.insertvalue %zero, %2[2] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %4 = llvm.insertvalue %count, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %5 = llvm.insertvalue %words, %4[3, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %6 = llvm.insertvalue %words, %5[4, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %7 = llvm.insertvalue %unit, %6[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    %table = builtin.unrealized_conversion_cast %7 : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)> to memref<?x2xi64>
    gpu.launch_func @kernels::@cell_0 blocks in (%n, %one, %one) threads in (%threads, %one, %one)
      dynamic_shared_memory_size %bytes args(%table : memref<?x2xi64>)
    return
  }
  gpu.module @kernels {
    gpu.func @cell_0(%table: memref<?x2xi64>)
        workgroup(%other_tile: memref<3xi8, #gpu.address_space<workgroup>>, %tile: memref<64xf32, #gpu.address_space<workgroup>>)
        private(%own: memref<2xf32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c63 = arith.constant 63 : index
      %task = gpu.block_id x
      %thread = gpu.thread_id x
      %x_word = memref.load %table[%task, %c0] : memref<?x2xi64>
      %y_word = memref.load %table[%task, %c1] : memref<?x2xi64>
      %x_start = llvm.inttoptr %x_word : i64 to !llvm.ptr
      %y_start = llvm.inttoptr %y_word : i64 to !llvm.ptr
      %start = llvm.mlir.constant(0 : i64) : i64
      %unit = llvm.mlir.constant(1 : i64) : i64
      %size = llvm.mlir.constant(64 : i64) : i64
      %d0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %d1 = llvm.insertvalue %start, %d0[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %d2 = llvm.insertvalue %size, %d1[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %d3 = llvm.insertvalue %unit, %d2[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %x0 = llvm.insertvalue %x_start, %d3[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %x1 = llvm.insertvalue %x_start, %x0[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %x = builtin.unrealized_conversion_cast %x1 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<64xf32>
      %y0 = llvm.insertvalue %y_start, %d3[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %y1 = llvm.insertvalue %y_start, %y0[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %y = builtin.unrealized_conversion_cast %y1 : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<64xf32>
