#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @lstm_cell(%arg0: tensor<1x3xf32>, %arg1: tensor<1x4xf32>, %arg2: tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_16_3_torch.float32> : tensor<16x3xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_16_4_torch.float32> : tensor<16x4xf32>
    %0 = tensor.empty() : tensor<4x16xf32>
    %transposed = linalg.transpose ins(%cst_4 : tensor<16x4xf32>) outs(%0 : tensor<4x16xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<1x16xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x16xf32>) -> tensor<1x16xf32>
    %3 = linalg.matmul ins(%arg1, %transposed : tensor<1x4xf32>, tensor<4x16xf32>) outs(%2 : tensor<1x16xf32>) -> tensor<1x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<16xf32>) outs(%1 : tensor<1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x16xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<1x16xf32>, tensor<1x16xf32>) outs(%1 : tensor<1x16xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.addf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x16xf32>
    %6 = tensor.empty() : tensor<3x16xf32>
    %transposed_5 = linalg.transpose ins(%cst_2 : tensor<16x3xf32>) outs(%6 : tensor<3x16xf32>) permutation = [1, 0] 
    %7 = linalg.matmul ins(%arg0, %transposed_5 : tensor<1x3xf32>, tensor<3x16xf32>) outs(%2 : tensor<1x16xf32>) -> tensor<1x16xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<16xf32>) outs(%1 : tensor<1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x16xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<1x16xf32>, tensor<1x16xf32>) outs(%1 : tensor<1x16xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.addf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x16xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %9 : tensor<1x16xf32>, tensor<1x16xf32>) outs(%1 : tensor<1x16xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.addf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x16xf32>
    %extracted_slice = tensor.extract_slice %10[0, 0] [1, 4] [1, 1] : tensor<1x16xf32> to tensor<1x4xf32>
    %extracted_slice_6 = tensor.extract_slice %10[0, 4] [1, 4] [1, 1] : tensor<1x16xf32> to tensor<1x4xf32>
    %extracted_slice_7 = tensor.extract_slice %10[0, 8] [1, 4] [1, 1] : tensor<1x16xf32> to tensor<1x4xf32>
    %extracted_slice_8 = tensor.extract_slice %10[0, 12] [1, 4] [1, 1] : tensor<1x16xf32> to tensor<1x4xf32>
    %11 = tensor.empty() : tensor<1x4xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.negf %in : f32
      %22 = math.exp %21 : f32
      %23 = arith.addf %22, %cst_0 : f32
      %24 = arith.divf %cst_0, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<1x4xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_6 : tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.negf %in : f32
      %22 = math.exp %21 : f32
      %23 = arith.addf %22, %cst_0 : f32
      %24 = arith.divf %cst_0, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<1x4xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7 : tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.tanh %in : f32
      linalg.yield %21 : f32
    } -> tensor<1x4xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_8 : tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.negf %in : f32
      %22 = math.exp %21 : f32
      %23 = arith.addf %22, %cst_0 : f32
      %24 = arith.divf %cst_0, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<1x4xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %arg2 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.mulf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x4xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %14 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.mulf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x4xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %17 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.addf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x4xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.tanh %in : f32
      linalg.yield %21 : f32
    } -> tensor<1x4xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %19 : tensor<1x4xf32>, tensor<1x4xf32>) outs(%11 : tensor<1x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %21 = arith.mulf %in, %in_9 : f32
      linalg.yield %21 : f32
    } -> tensor<1x4xf32>
    return %20, %18 : tensor<1x4xf32>, tensor<1x4xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_torch.float32_1: "0x0400000032BEF23E72E0A9BE9807803DB80ABF3E9474B93E7C099F3EA445B9BEC058B8BE50D29ABEB8A4803D6E25FF3E7EB5A1BEE26A883E66B18DBEFAB1F0BE00A4D9BD",
      torch_tensor_16_3_torch.float32: "0x040000004AE8833E54FC61BEA083C6BD2051703E0202F1BE1287993EA8A9D2BD0A3D823E785A8E3D00C47ABD40020E3E2010CA3C30FF3A3EE48647BE305115BD406038BD306C943D00E702BB64C9DF3E50541F3E08AC3EBE369D9ABE70A3ABBDB0D85CBED41124BE801FC43CD49B983E38258B3EC640FABE1CB39E3EC8080F3E88D4F23EAEF9A83E5240E9BE2E68F3BE3CF476BEEECBE03E1091AABD801D5B3EA8EE6DBE1A31FB3E5CA058BE12FBBF3E8003C23B82DD86BE7A96833ED4E387BEE494163E",
      torch_tensor_16_torch.float32: "0x04000000F07F933EFAA9ED3E66FC9EBE3038DE3D68E4DC3EAAA3A93E8C8B9F3E04ECB53E98ECA13E6C3F043ED60EAFBE6AFAD6BEE49B6ABE307B6EBD70EA9CBE2C513B3E",
      torch_tensor_16_4_torch.float32: "0x04000000FCD713BE008860BD881DF6BEBC1C74BE10EA8A3E40E9F8BD1AFDFE3EE634CD3E20CABFBC2CE0AABEF2E49B3E20E71E3EC47BA5BE8E48A63E066B9B3E8C0BE33ED6808FBE788EA8BDC0B11EBC1890953D7848C2BED0A9B5BEE2438B3EA81EF0BD30197A3E4083E93CD01C283E802AE13DB4293A3ECCCD7D3EAE15EDBEA4DB803EE2FFB3BE8027C1BE8018F93C387FAEBDDE5A963E3C4294BE5294E3BE0E4FBA3E30D797BD32FD8F3EA099243ED4F7BFBE48B8CD3D18F6F53D3268ABBE08EE72BE5C942E3EE86BB73D70CA59BE94FD1ABE4A77EA3E3876BDBDA654903E98B25D3EF07AA5BEC0B5D9BE44BBF53E40E1D53C2E7AAF3E7834D43DBCAB243EAE38BF3E"
    }
  }
#-}

