// Products that stay as they are.
// RUN: hexmlir-opt %s --separate-accumulators=always=true | filecheck %s
// RUN: hexmlir-opt %s --separate-accumulators=always=true --remarks 2>&1 | filecheck %s --check-prefix=REMARK
// REMARK: remark: separate-accumulators: left to HVX: its sizes are not known, or it is empty
// OLD: remark: separate-accumulators: left to HVX: the engine's bias registers hold one table, f32 takes two
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: func.func @unknown
// CHECK-NOT: linalg.fill
func.func @unknown(%a: tensor<?x64xf16>, %b: tensor<64x64xf16>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x64xf16>, tensor<64x64xf16>) outs(%c : tensor<?x64xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %v = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @wide
// CHECK-NOT: linalg.fill
func.func @wide(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// RUN: hexmlir-opt %S/options.mlir --separate-accumulators=always=true --target=v73 --remarks 2>&1 | filecheck %s --check-prefix=OLD
