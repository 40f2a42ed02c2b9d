// Products of f16 matrices become products of tiles in TCM.
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true --split-input-file | filecheck %s

// 1. A grid of blocks: a transfer starts before the block is packed, the blocks of one factor are packed once, and a
// product is unpacked after the next ones.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[A0:.*]] = tensor.extract_slice %arg0[%c0, %c0] [256, 512] [1, 1]
// CHECK: %[[ROWS:.*]] = bufferization.alloc_tensor() copy(%[[A0]]) {memory_space = 1 : i64} : tensor<256x512xf16>
// CHECK: %[[B0:.*]] = tensor.extract_slice %arg1[%c0, %c0] [512, 128] [1, 1]
// CHECK: %[[COLUMNS:.*]] = bufferization.alloc_tensor() copy(%[[B0]]) {memory_space = 1 : i64} : tensor<512x128xf16>
// CHECK: %[[B1:.*]] = tensor.extract_slice %arg1[%c0, %c128] [512, 192] [1, 1]
// CHECK: %[[CUT:.*]] = tensor.expand_shape %[[ROWS]] {{\[\[}}0, 1, 2], [3, 4]] output_shape [8, 16, 2, 16, 32]
// CHECK: %[[ACTIVATIONS:.*]] = linalg.transpose ins(%[[CUT]] : {{.*}}) outs({{.*}} : tensor<8x16x16x32x2xf16>) permutation = [0, 3, 1, 4, 2]
// CHECK: %[[WEIGHTS:.*]] = linalg.transpose ins({{.*}} : tensor<16x16x2x4x32xf16>) outs({{.*}} : tensor<4x16x16x32x2xf16>) permutation = [3, 0, 1, 4, 2]
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[ACTIVATIONS]], %[[WEIGHTS]] : {{.*}}) outs({{.*}} : tensor<8x4x16x32x2xf32>)
// CHECK: arith.extf
// CHECK: arith.mulf
// CHECK: %[[TILES:.*]] = linalg.generic {{.*}} ins(%[[SUMS]] : {{.*}}) outs({{.*}} : tensor<8x4x16x32x2xf16>)
// CHECK: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%[[ACTIVATIONS]], %[[NEXT:[a-z_0-9]*]] : {{.*}}) outs({{.*}} : tensor<8x6x16x32x2xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[ACTIVATIONS]], %{{.*}} : {{.*}}) outs({{.*}} : tensor<8x6x16x32x2xf32>)
// CHECK: %[[UNPACKED:.*]] = linalg.transpose ins(%[[TILES]] : {{.*}}) outs({{.*}} : tensor<8x16x2x4x32xf16>) permutation = [0, 2, 4, 1, 3]
// CHECK: tensor.insert_slice {{.*}} [256, 128] [1, 1] : tensor<256x128xf16> into tensor<512x512xf16>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[WEIGHTS]] : {{.*}}) outs({{.*}} : tensor<8x4x16x32x2xf32>)
// CHECK: return
func.func @blocks(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<512x512xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<512x512xf16>) -> tensor<512x512xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%start : tensor<512x512xf16>) -> tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// -----
// 2. Sums in f32 that are only rounded to f16; sizes that are no whole tiles are filled up with zeros.
// CHECK-LABEL: func.func @ragged
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} outs({{.*}} : tensor<32x64xf16>)
// CHECK: tensor.insert_slice %arg0 into %[[ZEROS]][0, 0] [5, 45] [1, 1] : tensor<5x45xf16> into tensor<32x64xf16>
// CHECK: linalg.fill {{.*}} outs({{.*}} : tensor<64x32xf16>)
// CHECK: tensor.insert_slice %arg1 into {{.*}}[0, 0] [45, 7] [1, 1] : tensor<45x7xf16> into tensor<64x32xf16>
// CHECK: %[[MATRIX:.*]] = tensor.collapse_shape {{.*}} into tensor<32x32xf16>
// CHECK: tensor.extract_slice %[[MATRIX]][{{.*}}] [5, 7] [1, 1] : tensor<32x32xf16> to tensor<5x7xf16>
#same = affine_map<(m, n) -> (m, n)>
func.func @ragged(%a: tensor<5x45xf16>, %b: tensor<45x7xf16>) -> tensor<5x7xf16> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<5x7xf32>
  %half = tensor.empty() : tensor<5x7xf16>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<5x7xf32>) -> tensor<5x7xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<5x45xf16>, tensor<45x7xf16>) outs(%start : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<5x7xf32>) outs(%half : tensor<5x7xf16>) {
    ^bb0(%in: f32, %out: f16):
      %h = arith.truncf %in : f32 to f16
      linalg.yield %h : f16
  } -> tensor<5x7xf16>
  return %1 : tensor<5x7xf16>
}

// -----
// 3. Transposed factors and a transposed result: other permutations, no copies.
// CHECK-LABEL: func.func @transposed
// CHECK: linalg.transpose ins({{.*}} : tensor<1x32x1x16x2xf16>) outs({{.*}}) permutation = [2, 0, 3, 1, 4]
// CHECK: linalg.transpose ins({{.*}} : tensor<1x32x1x16x2xf16>) outs({{.*}}) permutation = [0, 2, 3, 1, 4]
// CHECK: linalg.transpose ins({{.*}}) outs({{.*}} : tensor<1x32x1x16x2xf16>) permutation = [1, 3, 0, 2, 4]
func.func @transposed(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<32x32xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<32x32xf16>) -> tensor<32x32xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%start : tensor<32x32xf16>) {
    ^bb0(%x: f16, %y: f16, %old: f16):
      %p = arith.mulf %x, %y : f16
      %s = arith.addf %old, %p : f16
      linalg.yield %s : f16
  } -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}

// -----
// 4. A bias and an activation function: the engine adds the bias, of f32, before it rounds; the rest of the op computes on
// each block of f16, in TCM.
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[BIAS:.*]] = bufferization.alloc_tensor() copy(%arg2) {memory_space = 1 : i64} : tensor<256xf16>
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%[[BIAS]] : tensor<256xf16>) outs({{.*}} : tensor<256xf32>)
// CHECK: %[[COLUMNS:.*]] = tensor.expand_shape %[[WIDE]] {{.*}} into tensor<8x32xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[COLUMNS]] : tensor<2x8x16x32x2xf32>, tensor<8x32xf32>) outs({{.*}} : tensor<2x8x16x32x2xf16>)
// CHECK: arith.addf {{.*}} : f32
// CHECK-NEXT: arith.truncf
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape {{.*}} into tensor<64x256xf16>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : tensor<64x256xf16>) outs({{.*}} : tensor<64x256xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %{{.*}}: f32)
// CHECK-NEXT: arith.extf %[[X]]
// CHECK-NEXT: math.tanh
// CHECK: tensor.insert_slice {{.*}} : tensor<64x256xf32> into tensor<64x256xf32>
#matrix = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
func.func @epilogue(%a: tensor<64x96xf16>, %b: tensor<96x256xf16>, %bias: tensor<256xf16>) -> tensor<64x256xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x256xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<64x256xf32>) -> tensor<64x256xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x96xf16>, tensor<96x256xf16>) outs(%start : tensor<64x256xf32>) -> tensor<64x256xf32>
  %1 = linalg.generic {indexing_maps = [#matrix, #row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<64x256xf32>, tensor<256xf16>) outs(%init : tensor<64x256xf32>) {
    ^bb0(%x: f32, %y: f16, %old: f32):
      %h = arith.truncf %x : f32 to f16
      %s = arith.addf %h, %y : f16
      %w = arith.extf %s : f16 to f32
      %t = math.tanh %w : f32
      linalg.yield %t : f32
  } -> tensor<64x256xf32>
  return %1 : tensor<64x256xf32>
}

// -----
// 5. Batches: one product of tiles for a group of matrices; each column of result tiles reads those of its matrix. Where
// batches are not the outer dimension, they are a product each, in a loop.
// CHECK: #[[OF_BATCH:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> ({{.*}}d1 floordiv 2, d0 mod 2{{.*}}, {{.*}}, d2, d6 * 2 + d7, d4)>
// CHECK-LABEL: func.func @batches
// CHECK-NOT: scf.for
// CHECK: %[[ROWS:.*]] = bufferization.alloc_tensor() copy(%arg0)
// CHECK: bufferization.alloc_tensor() copy(%arg1)
// CHECK: %[[CUT:.*]] = tensor.expand_shape %[[ROWS]] {{\[\[}}0], [1, 2, 3], [4, 5]] output_shape [3, 2, 16, 2, 2, 32]
// CHECK: %[[ACTIVATIONS:.*]] = linalg.transpose ins(%[[CUT]] : {{.*}}) outs({{.*}} : tensor<3x2x2x16x32x2xf16>) permutation = [0, 1, 4, 2, 5, 3]
// CHECK: linalg.transpose {{.*}} outs({{.*}} : tensor<3x2x2x16x32x2xf16>) permutation = [0, 4, 1, 2, 5, 3]
// CHECK: %[[WEIGHTS:.*]] = tensor.collapse_shape {{.*}} into tensor<6x2x16x32x2xf16>
// CHECK: linalg.generic {indexing_maps = [#[[OF_BATCH]], {{.*}} ins(%[[ACTIVATIONS]], %[[WEIGHTS]] : {{.*}}) outs({{.*}} : tensor<2x6x16x32x2xf32>) attrs = {hexagon.windows = array<i64: 2, 1, 1, 1, 1, 2>}
// CHECK: linalg.transpose {{.*}} outs({{.*}} : tensor<3x2x16x2x2x32xf16>) permutation = [1, 0, 3, 5, 2, 4]
// CHECK: tensor.insert_slice {{.*}} [3, 64, 64] [1, 1, 1] : tensor<3x64x64xf16> into tensor<3x64x64xf16>
// CHECK-LABEL: func.func @inner_batches
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c3{{.*}} step %c1
// CHECK: tensor.extract_slice %arg0[%{{.*}}, %[[I]], %{{.*}}] [64, 1, 64] [1, 1, 1] : tensor<64x3x64xf16> to tensor<64x64xf16>
// CHECK: tensor.insert_slice {{.*}}[%[[I]], {{.*}}] [1, 64, 64] [1, 1, 1] : tensor<64x64xf16> into tensor<3x64x64xf16>
func.func @batches(%a: tensor<3x64x64xf16>, %b: tensor<3x64x64xf16>) -> tensor<3x64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<3x64x64xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<3x64x64xf16>) -> tensor<3x64x64xf16>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x64x64xf16>, tensor<3x64x64xf16>) outs(%start : tensor<3x64x64xf16>) -> tensor<3x64x64xf16>
  return %0 : tensor<3x64x64xf16>
}
func.func @inner_batches(%a: tensor<64x3x64xf16>, %b: tensor<3x64x64xf16>) -> tensor<3x64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<3x64x64xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<3x64x64xf16>) -> tensor<3x64x64xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
      affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x3x64xf16>, tensor<3x64x64xf16>) outs(%start : tensor<3x64x64xf16>) {
    ^bb0(%x: f16, %y: f16, %old: f16):
      %p = arith.mulf %x, %y : f16
      %s = arith.addf %old, %p : f16
      linalg.yield %s : f16
  } -> tensor<3x64x64xf16>
  return %0 : tensor<3x64x64xf16>
}

// -----
// 6. Sums that are read in f32 are split into two pieces, which are added on the way to rows; so is the epilogue's f32.
// CHECK-LABEL: func.func @wide
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x16x32x2xf32>)
// CHECK: %[[PIECES:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<2x2x2x16x32x2xf16>
// CHECK: linalg.generic {{.*}} outs(%[[PIECES]] : tensor<2x2x2x16x32x2xf16>)
// CHECK: arith.mulf %{{.*}}, %cst{{.*}} : f32
// CHECK: linalg.index 2 : index
// CHECK: tensor.extract_slice {{.*}}[0, 0, 0, 0, 0, 0] [2, 2, 1, 16, 32, 2]
// CHECK: tensor.extract_slice {{.*}}[0, 0, 1, 0, 0, 0] [2, 2, 1, 16, 32, 2]
// CHECK: arith.addf
// CHECK: tensor.collapse_shape {{.*}} into tensor<64x64xf32>
// CHECK: ins(%{{.*}} : tensor<64x64xf32>)
// CHECK: math.tanh
#matrix = affine_map<(m, n) -> (m, n)>
func.func @wide(%a: tensor<64x96xf16>, %b: tensor<96x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x96xf16>, tensor<96x64xf16>) outs(%start : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) {
    ^bb0(%x: f32, %old: f32):
      %t = math.tanh %x : f32
      linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----
// 7. A vector times tiles, which folding of loops with one iteration made of a matrix of one row: the tiles are
// multiplied, not written to DDR as a matrix. Sums that start from a vector stay on HVX.
// CHECK-LABEL: func.func @vector
// CHECK-NOT: hexagon.weight_matrix
// CHECK: bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<{{.*}}x4x16x32x2xf16>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x{{.*}}x16x32x2xf32>)
// CHECK: return {{.*}} : tensor<1000xf32>
// CHECK-LABEL: func.func @from_vector
// CHECK: linalg.transpose
// CHECK-NOT: memory_space = 1
#vector = affine_map<(n, k) -> (k)>
#tiled = affine_map<(n, k) -> (k, n)>
#sums = affine_map<(n, k) -> (n)>
func.func @vector(%a: tensor<128xf16>, %tiles: tensor<32x4x16x32x2xf16>) -> tensor<1000xf32> {
  %b = "hexagon.weight_matrix"(%tiles) : (tensor<32x4x16x32x2xf16>) -> tensor<128x1000xf16>
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<1000xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<1000xf32>) -> tensor<1000xf32>
  %0 = linalg.generic {indexing_maps = [#vector, #tiled, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<128xf16>, tensor<128x1000xf16>) outs(%start : tensor<1000xf32>) {
    ^bb0(%x: f16, %y: f16, %sum: f32):
      %2 = arith.extf %x : f16 to f32
      %3 = arith.extf %y : f16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %sum, %4 : f32
      linalg.yield %5 : f32
  } -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}
func.func @from_vector(%a: tensor<128xf16>, %tiles: tensor<32x4x16x32x2xf16>, %start: tensor<1000xf32>) -> tensor<1000xf32> {
  %b = "hexagon.weight_matrix"(%tiles) : (tensor<32x4x16x32x2xf16>) -> tensor<128x1000xf16>
  %0 = linalg.generic {indexing_maps = [#vector, #tiled, #sums], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<128xf16>, tensor<128x1000xf16>) outs(%start : tensor<1000xf32>) {
    ^bb0(%x: f16, %y: f16, %sum: f32):
      %2 = arith.extf %x : f16 to f32
      %3 = arith.extf %y : f16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %sum, %4 : f32
      linalg.yield %5 : f32
  } -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// -----
// 8. A vector times a matrix: one row.
// CHECK-LABEL: func.func @row
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 64] : tensor<64xf16> into tensor<1x64xf16>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x16x32x2xf32>)
// CHECK: return {{.*}} : tensor<70xf16>
func.func @row(%a: tensor<64xf16>, %b: tensor<64x70xf16>) -> tensor<70xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<70xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<70xf16>) -> tensor<70xf16>
  %0 = linalg.vecmat ins(%a, %b : tensor<64xf16>, tensor<64x70xf16>) outs(%start : tensor<70xf16>) -> tensor<70xf16>
  return %0 : tensor<70xf16>
}
