// Which products pay, and what fits the budget.
// RUN: hexmlir-opt %s --untile-products --remarks 2>&1 | filecheck %s --check-prefixes=FEW
// RUN: hexmlir-opt %s --untile-products=always=true | filecheck %s --check-prefixes=ALWAYS
// RUN: hexmlir-opt %s --untile-products='always=true tcm-bytes=4096' --remarks 2>&1 | filecheck %s --check-prefixes=SMALL
// RUN: hexmlir-opt %s --untile-products='always=true matrix-engine=false' | filecheck %s --check-prefixes=OFF
// RUN: hexmlir-opt %s --untile-products=always=true --target=v68 | filecheck %s --check-prefixes=OFF
// RUN: not hexmlir-opt %s --untile-products=tiles=1 2>&1 | filecheck %s --check-prefix=BAD
// FEW: remark: untile-products: its loop stays: HVX is estimated to compute the product in less time
// FEW-NOT: tensor.insert_slice
// ALWAYS: tensor.insert_slice
// SMALL: remark: untile-products: its loop stays: the whole matrices exceed the TCM budget
// SMALL-NOT: tensor.insert_slice
// OFF-NOT: tensor.insert_slice
// BAD: error: untile-products: unknown option 'tiles'
// BAD-NEXT: hint: options of untile-products: tcm-bytes, matrix-engine, f32-split, always
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @blocks(%a: tensor<4x64xf16>, %b: tensor<64x32xf16>) -> tensor<4x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<4x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<4x32xf32>) -> tensor<4x32xf32>
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %zeros) -> (tensor<4x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [4, 32] [1, 1] : tensor<4x64xf16> to tensor<4x32xf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4x32xf16>, tensor<32x32xf16>) outs(%old : tensor<4x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<4x32xf32>
    scf.yield %new : tensor<4x32xf32>
  }
  %half = tensor.empty() : tensor<4x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<4x32xf32>) outs(%half : tensor<4x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<4x32xf16>
  return %result : tensor<4x32xf16>
}
