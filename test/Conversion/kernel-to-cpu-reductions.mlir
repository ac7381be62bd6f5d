// RUN: dynbatch-opt %s --convert-dynbatch-kernel-to-cpu -canonicalize | FileCheck %s

// A reduction along contiguous elements keeps a partial result for each lane of
// a vector; the lanes are reduced once, behind the loop.

// Five sums go side by side. Lanes may be added up in any order, so it is a tree.

// CHECK-LABEL: func.func private @dot_cpu(
// CHECK:         %[[PARTS:.*]]:5 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[E:.*]] = %{{.*}}) -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>) {
// CHECK-NOT:       vector.reduction
// CHECK:           %[[PRODUCT:.*]] = arith.mulf {{.*}} : vector<32xf32>
// CHECK:           %[[SUM:.*]] = arith.addf %[[A]], %[[PRODUCT]] : vector<32xf32>
// CHECK-COUNT-3:   arith.mulf
// CHECK:           %[[LAST:.*]] = arith.mulf {{.*}} : vector<32xf32>
// CHECK:           %[[LASTSUM:.*]] = arith.addf %[[E]], %[[LAST]] : vector<32xf32>
// CHECK:           scf.yield %[[SUM]], %{{.*}}, %{{.*}}, %{{.*}}, %[[LASTSUM]]
// CHECK:         }
// CHECK:         vector.store %[[PARTS]]#{{[0-9]}}, %[[MEMORY:[a-z0-9_]+]]
// CHECK:         vector.load %[[MEMORY]]
// CHECK:         vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<32xf32> into f32
// CHECK-NOT:     vector.reduction
// CHECK:         return
dynbatch.kernel private @dot(%n: index, %ws: !dynbatch.rows<tensor<5x96xf32>>, %xs: !dynbatch.rows<tensor<96xf32>>, %ys: !dynbatch.rows<tensor<5xf32>>) attributes {task_type = (tensor<5x96xf32>, tensor<96xf32>) -> tensor<5xf32>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %w = dynbatch.gather %ws[%i, %c1] : !dynbatch.rows<tensor<5x96xf32>> -> tensor<1x5x96xf32>
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<96xf32>> -> tensor<1x96xf32>
    %e = tensor.empty() : tensor<1x5xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5xf32>) -> tensor<1x5xf32>
    %y = linalg.batch_matvec ins(%w, %x : tensor<1x5x96xf32>, tensor<1x96xf32>) outs(%z : tensor<1x5xf32>) -> tensor<1x5xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1x5xf32>, !dynbatch.rows<tensor<5xf32>>
  }
  dynbatch.return
}

// Other reductions likewise, from their neutral element on.

// CHECK-LABEL: func.func private @max_cpu(
// CHECK:         arith.constant dense<0xFF800000> : vector<32xf32>
// CHECK:         scf.for {{.*}} -> (vector<32xf32>) {
// CHECK:           arith.maximumf {{.*}} : vector<32xf32>
// CHECK:         vector.reduction <maximumf>
// CHECK:         return
dynbatch.kernel private @max(%n: index, %xs: !dynbatch.rows<tensor<64xf32>>, %ys: !dynbatch.rows<tensor<f32>>) attributes {task_type = (tensor<64xf32>) -> tensor<f32>} {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<64xf32>> -> tensor<1x64xf32>
    %e = tensor.empty() : tensor<1xf32>
    %z = linalg.fill ins(%low : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    %y = linalg.reduce { arith.maximumf } ins(%x : tensor<1x64xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
    dynbatch.scatter %y into %ys[%i] : tensor<1xf32>, !dynbatch.rows<tensor<f32>>
  }
  dynbatch.return
}

// A batch as a whole, of a size that is not known, is reduced as it comes.

// CHECK-LABEL: func.func private @batch_cpu(
// CHECK-NOT:     -> (vector<32xf32>)
// CHECK:         vector.reduction <add>
// CHECK:         return
dynbatch.kernel private @batch(%n: index, %xs: !dynbatch.rows<tensor<64xf32>>, %ys: !dynbatch.rows<tensor<f32>>) attributes {task_type = (tensor<64xf32>) -> tensor<f32>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %x = dynbatch.gather %xs[%c0, %n] : !dynbatch.rows<tensor<64xf32>> -> tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = linalg.reduce { arith.addf } ins(%x : tensor<?x64xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  dynbatch.scatter %y into %ys[%c0] : tensor<?xf32>, !dynbatch.rows<tensor<f32>>
  dynbatch.return
}

// What does not fill whole vectors, or fills just one, is reduced as it comes.

// CHECK-LABEL: func.func private @odd_cpu(
// CHECK-NOT:     -> (vector<32xf32>)
// CHECK:         vector.reduction <add>
// CHECK:         return
dynbatch.kernel private @odd(%n: index, %xs: !dynbatch.rows<tensor<70xf32>>, %us: !dynbatch.rows<tensor<32xf32>>, %ys: !dynbatch.rows<tensor<f32>>, %vs: !dynbatch.rows<tensor<f32>>) attributes {task_type = (tensor<70xf32>, tensor<32xf32>) -> (tensor<f32>, tensor<f32>)} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<70xf32>> -> tensor<1x70xf32>
    %u = dynbatch.gather %us[%i, %c1] : !dynbatch.rows<tensor<32xf32>> -> tensor<1x32xf32>
    %e = tensor.empty() : tensor<1xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    %y = linalg.reduce { arith.addf } ins(%x : tensor<1x70xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
    %v = linalg.reduce { arith.addf } ins(%u : tensor<1x32xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
    dynbatch.scatter %y into %ys[%i] : tensor<1xf32>, !dynbatch.rows<tensor<f32>>
    dynbatch.scatter %v into %vs[%i] : tensor<1xf32>, !dynbatch.rows<tensor<f32>>
  }
  dynbatch.return
}

// So is what has several results, or weighs elements by their position: lane 3
// of the second vector is element 35.

// CHECK-LABEL: func.func private @two_cpu(
// CHECK-NOT:     -> (vector<32xf32>)
// CHECK:         vector.reduction <add>
// CHECK:         vector.reduction <add>
// CHECK:         return
dynbatch.kernel private @two(%n: index, %xs: !dynbatch.rows<tensor<64xf32>>, %ys: !dynbatch.rows<tensor<f32>>, %vs: !dynbatch.rows<tensor<f32>>) attributes {task_type = (tensor<64xf32>) -> (tensor<f32>, tensor<f32>)} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<64xf32>> -> tensor<1x64xf32>
    %e = tensor.empty() : tensor<1xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    %y:2 = linalg.generic {indexing_maps = [affine_map<(b,k)->(b,k)>, affine_map<(b,k)->(b)>, affine_map<(b,k)->(b)>], iterator_types = ["parallel","reduction"]}
      ins(%x : tensor<1x64xf32>) outs(%z, %z : tensor<1xf32>, tensor<1xf32>) {
    ^bb0(%a: f32, %s: f32, %q: f32):
      %s1 = arith.addf %a, %s : f32
      %m = arith.mulf %a, %a : f32
      %q1 = arith.addf %m, %q : f32
      linalg.yield %s1, %q1 : f32, f32
    } -> (tensor<1xf32>, tensor<1xf32>)
    dynbatch.scatter %y#0 into %ys[%i] : tensor<1xf32>, !dynbatch.rows<tensor<f32>>
    dynbatch.scatter %y#1 into %vs[%i] : tensor<1xf32>, !dynbatch.rows<tensor<f32>>
  }
  dynbatch.return
}

// CHECK-LABEL: func.func private @positions_cpu(
// CHECK:         %[[LANES:.*]] = vector.step : vector<32xindex>
// CHECK:         scf.for %[[K:[^ ]+]] = {{.*}} -> (vector<f32>) {
// CHECK:           %[[FIRST:.*]] = vector.broadcast %[[K]] : index to vector<32xindex>
// CHECK:           arith.addi %[[FIRST]], %[[LANES]] : vector<32xindex>
// CHECK:           vector.reduction <add>
dynbatch.kernel private @positions(%n: index, %xs: !dynbatch.rows<tensor<64xf32>>, %ys: !dynbatch.rows<tensor<f32>>) attributes {task_type = (tensor<64xf32>) -> tensor<f32>} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = dynbatch.gather %xs[%i, %c1] : !dynbatch.rows<tensor<64xf32>> -> tensor<1x64xf32>
    %e = tensor.empty() : tensor<1xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(b,k)->(b,k)>, affine_map<(b,k)->(b)>], iterator_types = ["parallel","reduction"]}
      ins(%x : tensor<1x64xf32>) outs(%z : tensor<1xf32>) {
    ^bb0(%a: f32, %s: f32):
      %k = linalg.index 1 : index
      %k1 = arith.index_cast %k : index to i32
      %k2 = arith.sitofp %k1 : i32 to f32
      %m = arith.mulf %a, %k2 : f32
      %s1 = arith.addf %m, %s : f32
      linalg.yield %s1 : f32
    } -> tensor<1xf32>
    dynbatch.scatter %y into %ys[%i] : tensor<1xf32>, !dynbatch.rows<tensor<f32>>
  }
  dynbatch.return
}
