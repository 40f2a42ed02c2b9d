// Which products pay.
// RUN: hexmlir-opt %s --separate-accumulators --remarks 2>&1 | filecheck %s --check-prefix=FEW
// RUN: hexmlir-opt %s --separate-accumulators=always=true | filecheck %s --check-prefix=ALWAYS
// RUN: hexmlir-opt %s --separate-accumulators='always=true matrix-engine=false' | filecheck %s --check-prefix=OFF
// RUN: hexmlir-opt %s --separate-accumulators=always=true --target=v68 | filecheck %s --check-prefix=OFF
// RUN: not hexmlir-opt %s --separate-accumulators=tiles=1 2>&1 | filecheck %s --check-prefix=BAD
// FEW: remark: separate-accumulators: left to HVX: HVX is estimated to compute the product in less time
// FEW-LABEL: func.func @large
// FEW: linalg.fill
// FEW-LABEL: func.func @small
// FEW-NOT: linalg.fill
// ALWAYS-LABEL: func.func @small
// ALWAYS: linalg.fill
// OFF-NOT: linalg.fill
// BAD: error: separate-accumulators: unknown option 'tiles'
// BAD-NEXT: hint: options of separate-accumulators: matrix-engine, always
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
func.func @large(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %v = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

func.func @small(%a: tensor<4x64xf16>, %b: tensor<64x8xf16>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x64xf16>, tensor<64x8xf16>) outs(%c : tensor<4x8xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %v = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %v, %w : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
