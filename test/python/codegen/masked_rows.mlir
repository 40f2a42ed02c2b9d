// Rows of three numbers times a column of the same matrix under masks, summed, twice: see test_row_pointers.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @k(%arg0: tensor<4x3xf32>, %arg1: tensor<4x1xi1>, %arg2: tensor<4x1xi1>, %arg3: tensor<4x1xi1>, %arg4: tensor<4x1xi1>, %arg5: tensor<4x1xi1>, %arg6: tensor<4x1xi1>) -> tensor<3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %extracted_slice = tensor.extract_slice %arg0[0, 0] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4x1xf32>
    %0 = tensor.empty() : tensor<4x1xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %extracted_slice, %cst_1 : tensor<4x1xi1>, tensor<4x1xf32>, tensor<f32>) outs(%0 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %21 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<4x1xf32>
    %extracted_slice_2 = tensor.extract_slice %1[0, 0] [1, 1] [1, 1] : tensor<4x1xf32> to tensor<1x1xf32>
    %2 = tensor.empty() : tensor<1x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_2 : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.mulf %in, %cst_0 : f32
      linalg.yield %21 : f32
    } -> tensor<1x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2, %1, %cst_1 : tensor<4x1xi1>, tensor<4x1xf32>, tensor<f32>) outs(%0 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %21 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<4x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map2, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3, %3, %4 : tensor<4x1xi1>, tensor<1x1xf32>, tensor<4x1xf32>) outs(%0 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %21 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<4x1xf32>
    %6 = tensor.empty() : tensor<4x3xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %arg0 : tensor<4x1xf32>, tensor<4x3xf32>) outs(%6 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.mulf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<4x3xf32>
    %8 = tensor.empty() : tensor<1x3xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction", "parallel"]} ins(%7 : tensor<4x3xf32>) outs(%9 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<1x3xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %10 : tensor<4x1xf32>, tensor<1x3xf32>) outs(%6 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.mulf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<4x3xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %11 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%6 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.subf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<4x3xf32>
    %extracted_slice_3 = tensor.extract_slice %12[0, 1] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4, %extracted_slice_3, %cst_1 : tensor<4x1xi1>, tensor<4x1xf32>, tensor<f32>) outs(%0 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %21 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<4x1xf32>
    %extracted_slice_4 = tensor.extract_slice %13[1, 0] [1, 1] [1, 1] : tensor<4x1xf32> to tensor<1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_4 : tensor<1x1xf32>) outs(%2 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.mulf %in, %cst_0 : f32
      linalg.yield %21 : f32
    } -> tensor<1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5, %13, %cst_1 : tensor<4x1xi1>, tensor<4x1xf32>, tensor<f32>) outs(%0 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %21 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<4x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map2, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg6, %14, %15 : tensor<4x1xi1>, tensor<1x1xf32>, tensor<4x1xf32>) outs(%0 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %21 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %21 : f32
    } -> tensor<4x1xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%16, %12 : tensor<4x1xf32>, tensor<4x3xf32>) outs(%6 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.mulf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<4x3xf32>
    %18 = tensor.empty() : tensor<3xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<3xf32>) -> tensor<3xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "parallel"]} ins(%17 : tensor<4x3xf32>) outs(%19 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %in, %out : f32
      linalg.yield %21 : f32
    } -> tensor<3xf32>
    return %20 : tensor<3xf32>
  }
}
