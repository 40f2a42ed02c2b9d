// Operands move to TCM (memory space 1): whole when they fit, else tile by tile.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling --split-input-file | filecheck %s

// 1. Everything fits: inputs and read outputs by copy, and the result back to DDR for the caller.
// CHECK-LABEL: func.func @fits
// CHECK: %[[A:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<64x32xf32>
// CHECK: %[[B:.*]] = bufferization.alloc_tensor() copy(%arg1) {memory_space = 1 : i64} : tensor<32x16xf32>
// CHECK: %[[C:.*]] = bufferization.alloc_tensor() copy(%arg2) {memory_space = 1 : i64} : tensor<64x16xf32>
// CHECK: %[[R:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : tensor<64x16xf32>)
// CHECK: %[[OUT:.*]] = bufferization.alloc_tensor() copy(%[[R]]) {memory_space = 0 : i64} : tensor<64x16xf32>
// CHECK: return %[[OUT]]
func.func @fits(%x: tensor<64x32xf32>, %y: tensor<32x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x16xf32>) outs(%c : tensor<64x16xf32>)
    -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}

// -----
// 2. 12 MiB of data and 8 MiB of TCM: tiles of 32 rows, enough to overlap. An operand read one element per row stays
// in DDR, and the output, which the body does not read, is not fetched.
// CHECK-LABEL: func.func @too_large
// CHECK: %[[STEP:.*]] = arith.constant 64 : index
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step %[[STEP]]
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[%[[ROW]], 0] [64, 1536] [1, 1]
// CHECK: %[[SCALES:.*]] = tensor.extract_slice %arg1[%[[ROW]]] [64] [1]
// CHECK: %[[TILE:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) {memory_space = 1 : i64} : tensor<64x1536xf32>
// CHECK: %[[OUT:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64x1536xf32>
// CHECK: linalg.generic {{.*}} ins(%[[TILE]], %[[SCALES]] : {{.*}}) outs(%[[OUT]] :
func.func @too_large(%x: tensor<1024x1536xf32>, %s: tensor<1024xf32>, %y: tensor<1024x1536xf32>)
    -> tensor<1024x1536xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<1024x1536xf32>, tensor<1024xf32>) outs(%y : tensor<1024x1536xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      linalg.yield %m : f32
  } -> tensor<1024x1536xf32>
  return %0 : tensor<1024x1536xf32>
}

// -----
// 3. A buffer below one vector stays in cached DDR.
// CHECK-LABEL: func.func @tiny
// CHECK: tensor.empty() : tensor<16xf32>
// CHECK-NOT: alloc_tensor() {memory_space
func.func @tiny(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %f = arith.constant 1.0 : f32
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----
// 4. Sums of rows: rows, not lanes, are counted; two of them fit next to the next two, one is fetched while the other
// is summed.
// CHECK-LABEL: func.func @row_sums
// CHECK: scf.for %{{.*}} = %{{.*}} to %c6 step %c1
// CHECK: {memory_space = 1 : i64} : tensor<1x524288xf32>
func.func @row_sums(%x: tensor<6x524288xf32>, %s: tensor<6xf32>) -> tensor<6xf32> {
  %0 = linalg.reduce ins(%x : tensor<6x524288xf32>) outs(%s : tensor<6xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %a = arith.addf %in, %out : f32
      linalg.yield %a : f32
    }
  return %0 : tensor<6xf32>
}

// -----
// 5. Softmax: five ops share the tiles of the last. x is copied once, exp's result exists as a tile in TCM only, the
// statistics of the rows stay in cached DDR.
// CHECK-LABEL: func.func @softmax
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c512 step
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[%[[ROW]], 0]
// CHECK: %[[X:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) {memory_space = 1 : i64}
// CHECK: %[[MAX:.*]] = linalg.reduce ins(%[[X]] :
// CHECK: %[[E:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64}
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[MAX]] : {{.*}}) outs(%[[E]] :
// CHECK: %[[SUM:.*]] = linalg.reduce ins(%[[EXP]] :
// CHECK: %[[OUT:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64}
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]] : {{.*}}) outs(%[[OUT]] :
// CHECK: tensor.insert_slice %[[R]]
// CHECK-NOT: linalg.
func.func @softmax(%x: tensor<512x8192xf32>) -> tensor<512x8192xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<512xf32>
  %e2 = tensor.empty() : tensor<512x8192xf32>
  %f = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %m = linalg.reduce ins(%x : tensor<512x8192xf32>) outs(%f : tensor<512xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %b = arith.maximumf %in, %out : f32
      linalg.yield %b : f32
    }
  %e = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<512x8192xf32>, tensor<512xf32>) outs(%e2 : tensor<512x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<512x8192xf32>
  %g = linalg.fill ins(%zero : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %u = linalg.reduce ins(%e : tensor<512x8192xf32>) outs(%g : tensor<512xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %b = arith.addf %in, %out : f32
      linalg.yield %b : f32
    }
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%e, %u : tensor<512x8192xf32>, tensor<512xf32>) outs(%e2 : tensor<512x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<512x8192xf32>
  return %r : tensor<512x8192xf32>
}

// -----
// 6. A linear layer and its activation: rows are cut, the weights are copied once, before the loop.
// CHECK-LABEL: func.func @linear
// CHECK: %[[W:.*]] = bufferization.alloc_tensor() copy(%arg1) {memory_space = 1 : i64} : tensor<256x512xf32>
// CHECK: scf.for
// CHECK: linalg.matmul ins(%{{.*}}, %[[W]] :
// CHECK: linalg.exp
// CHECK: tensor.insert_slice
func.func @linear(%x: tensor<1024x256xf32>, %w: tensor<256x512xf32>) -> tensor<1024x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  %m = linalg.matmul ins(%x, %w : tensor<1024x256xf32>, tensor<256x512xf32>) outs(%f : tensor<1024x512xf32>)
    -> tensor<1024x512xf32>
  %a = linalg.exp ins(%m : tensor<1024x512xf32>) outs(%e : tensor<1024x512xf32>) -> tensor<1024x512xf32>
  return %a : tensor<1024x512xf32>
}

// -----
// 7. A row is larger than the TCM: it is summed tile by tile, and the loop carries the partial sum.
// CHECK-LABEL: func.func @long_rows
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 iter_args(%[[ALL:.*]] = %arg1)
// CHECK-NEXT: %[[START:.*]] = tensor.extract_slice %[[ALL]][%[[I]]] [1] [1]
// CHECK-NEXT: %[[SUM:.*]] = scf.for %[[J:.*]] = %c0 to %{{.*}} step %{{.*}} iter_args(%[[OLD:.*]] = %[[START]])
// CHECK: %[[TILE:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64}
// CHECK-NEXT: %[[NEW:.*]] = linalg.reduce { arith.addf } ins(%[[TILE]] : tensor<1x{{[0-9?]+}}xf32>) outs(%[[OLD]] : tensor<1xf32>)
// CHECK: scf.yield %[[NEW]]
// CHECK: tensor.insert_slice %[[SUM]] into %[[ALL]][%[[I]]]
func.func @long_rows(%x: tensor<4x4194304xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<4x4194304xf32>) outs(%s : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----
// 8. The initial value of a sum is outside of the loop; an accumulator of a vector or more stays in TCM.
// CHECK-LABEL: func.func @mean
// CHECK: %[[START:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x64xf32>
// CHECK: %[[ZERO:.*]] = linalg.fill ins(%{{.*}}) outs(%[[START]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK-NOT: linalg.fill
func.func @mean(%x: tensor<32768x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<32768x64xf32>) outs(%f : tensor<1x64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %o, %a : f32
      linalg.yield %s : f32
  } -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----
// 9. Weights that do not fit are cut, not the rows; the last columns get a peeled tile of static size.
// CHECK-LABEL: func.func @wide
// CHECK: %[[X:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<32x768xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c2816 step %c256
// CHECK: linalg.matmul ins(%[[X]], %{{.*}} : tensor<32x768xf32>, tensor<768x256xf32>)
// CHECK: linalg.matmul ins(%[[X]], %{{.*}} : tensor<32x768xf32>, tensor<768x184xf32>)
// CHECK-NOT: scf.for
func.func @wide(%x: tensor<32x768xf32>, %w: tensor<768x3000xf32>, %y: tensor<32x3000xf32>) -> tensor<32x3000xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<32x768xf32>, tensor<768x3000xf32>) outs(%y : tensor<32x3000xf32>)
    -> tensor<32x3000xf32>
  return %0 : tensor<32x3000xf32>
}

// -----
// 10. Tiles of a convolution share rows of the image; the frame around it stays in TCM for the op that reads it.
// CHECK-LABEL: func.func @framed
// CHECK: %[[F:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<58x58x32xf32>
// CHECK: linalg.fill ins(%{{.*}}) outs(%[[F]]
// CHECK: %[[P:.*]] = tensor.insert_slice %arg0 into
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args
// CHECK: tensor.extract_slice %[[P]][%{{.*}}, 0, 0] [{{[0-9]+}}, 58, 32] [1, 1, 1]
// CHECK: linalg.generic
func.func @framed(%x: tensor<56x56x32xf32>, %w: tensor<3x3x32xf32>, %y: tensor<56x56x32xf32>) -> tensor<56x56x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<58x58x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<58x58x32xf32>) -> tensor<58x58x32xf32>
  %p = tensor.insert_slice %x into %f[1, 1, 0] [56, 56, 32] [1, 1, 1] : tensor<56x56x32xf32> into tensor<58x58x32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(h, w, c, y, x) -> (h + y, w + x, c)>,
                                        affine_map<(h, w, c, y, x) -> (y, x, c)>,
                                        affine_map<(h, w, c, y, x) -> (h, w, c)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<58x58x32xf32>, tensor<3x3x32xf32>) outs(%y : tensor<56x56x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
  } -> tensor<56x56x32xf32>
  return %0 : tensor<56x56x32xf32>
}

// -----
// 11. An image that does not fit: each tile fetches its rows and those it shares with the next.
// CHECK-LABEL: func.func @halo
// CHECK: scf.for %[[I:.*]] = %c0 to %c512 step %c[[T:[0-9]+]]
// CHECK: %[[AT:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[%[[AT]], 0] [{{[0-9]+}}, 4096] [1, 1]
// CHECK: bufferization.alloc_tensor() copy(%[[S]]) {memory_space = 1 : i64}
func.func @halo(%x: tensor<1025x4096xf32>, %w: tensor<3xf32>, %y: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(h, c, y) -> (h * 2 + y, c)>, affine_map<(h, c, y) -> (y)>,
                                        affine_map<(h, c, y) -> (h, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1025x4096xf32>, tensor<3xf32>) outs(%y : tensor<512x4096xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
  } -> tensor<512x4096xf32>
  return %0 : tensor<512x4096xf32>
}

// -----
// 12. A dynamic number of rows: the loop over them is always tiled, with a bounded tile size.
// CHECK-LABEL: func.func @some_rows
// CHECK: bufferization.alloc_tensor() copy(%arg1) {memory_space = 1 : i64} : tensor<768xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %[[STEP:.*]] iter_args
// CHECK: %[[N:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK: tensor.extract_slice %arg0[%[[I]], 0] [%[[N]], 768] [1, 1] : tensor<?x768xf32> to tensor<?x768xf32>
// CHECK: bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<?x768xf32>
func.func @some_rows(%x: tensor<?x768xf32>, %b: tensor<768xf32>, %y: tensor<?x768xf32>) -> tensor<?x768xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                                        affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x768xf32>, tensor<768xf32>) outs(%y : tensor<?x768xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
  } -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// -----
// 13. A product that a later loop reads through a view is computed once, not again in each tile of that loop.
// CHECK-LABEL: func.func @heads
// CHECK: scf.for
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape
// CHECK: scf.for
// CHECK-NOT: linalg.matmul
// CHECK: linalg.generic
func.func @heads(%x: tensor<48x1024xf32>, %w: tensor<1024x2048xf32>, %y: tensor<16x48x128xf32>,
                 %s: tensor<48x128xf32>) -> (tensor<16x48x128xf32>, tensor<48x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48x2048xf32>) -> tensor<48x2048xf32>
  %p = linalg.matmul ins(%x, %w : tensor<48x1024xf32>, tensor<1024x2048xf32>) outs(%f : tensor<48x2048xf32>)
    -> tensor<48x2048xf32>
  %h = tensor.expand_shape %p [[0], [1, 2]] output_shape [48, 16, 128] : tensor<48x2048xf32> into tensor<48x16x128xf32>
  %t = tensor.empty() : tensor<48x16xf32>
  %u = linalg.fill ins(%zero : f32) outs(%t : tensor<48x16xf32>) -> tensor<48x16xf32>
  %sums = linalg.reduce { arith.addf } ins(%h : tensor<48x16x128xf32>) outs(%u : tensor<48x16xf32>) dimensions = [2]
  %o = tensor.empty() : tensor<16x48x128xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1, d2)>,
                                        affine_map<(d0, d1, d2) -> (d1, d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %y, %s : tensor<48x16x128xf32>, tensor<16x48x128xf32>, tensor<48x128xf32>)
      outs(%o : tensor<16x48x128xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
      %m = arith.mulf %a, %c : f32
      %n = arith.addf %m, %b : f32
      linalg.yield %n : f32
  } -> tensor<16x48x128xf32>
  return %r, %sums : tensor<16x48x128xf32>, tensor<48x16xf32>
}

// -----
// 14. The contents of a read-only argument that is overwritten are not copied.
// CHECK-LABEL: func.func @overwritten
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2048x1024xf32>
// CHECK: scf.for %[[I:.*]] = %c0 to %c2048 step %{{.*}} iter_args(%{{.*}} = %[[E]])
// CHECK: tensor.extract_slice %arg0[%[[I]], 0] [{{.*}}, 1024] [1, 1]
func.func @overwritten(%x: tensor<2048x1024xf32>, %y: tensor<2048x1024xf32> {bufferization.writable = false})
    -> tensor<2048x1024xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2048x1024xf32>) outs(%y : tensor<2048x1024xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %w = arith.sitofp %n : i32 to f32
      %t = arith.addf %a, %w : f32
      linalg.yield %t : f32
  } -> tensor<2048x1024xf32>
  return %r : tensor<2048x1024xf32>
}

// -----
// Blocks in TCM are put together there where tiled ops alone read them.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[WHOLE:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64x64xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[WHOLE]][0, 0]
// CHECK: %[[LAST:.*]] = tensor.insert_slice %{{.*}}[32, 0]
// CHECK: linalg.exp ins(%[[LAST]] : tensor<64x64xf32>)
func.func @blocks(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %first = bufferization.alloc_tensor() copy(%a) {memory_space = 1 : i64} : tensor<32x64xf32>
  %second = bufferization.alloc_tensor() copy(%b) {memory_space = 1 : i64} : tensor<32x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = tensor.insert_slice %first into %e[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
  %1 = tensor.insert_slice %second into %0[32, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
  %2 = linalg.exp ins(%1 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----
// What is a result of the function, too, is copied to DDR once it is whole; a block is computed where it is inserted.
// CHECK-LABEL: func.func @blocks_of_a_result
// CHECK: %[[WHOLE:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<64x64xf32>
// CHECK: %[[PLACE:.*]] = tensor.extract_slice %[[WHOLE]][0, 0] [32, 64] [1, 1]
// CHECK: %[[FIRST:.*]] = linalg.exp ins(%{{.*}}) outs(%[[PLACE]] : tensor<32x64xf32>)
// CHECK: tensor.insert_slice %[[FIRST]] into %[[WHOLE]][0, 0]
// CHECK: %[[LAST:.*]] = tensor.insert_slice %{{.*}}[32, 0]
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[LAST]]) {memory_space = 0 : i64}
// CHECK: linalg.exp ins(%[[LAST]] : tensor<64x64xf32>)
// CHECK: return %[[COPY]],
func.func @blocks_of_a_result(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %in = bufferization.alloc_tensor() copy(%a) {memory_space = 1 : i64} : tensor<32x64xf32>
  %own = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<32x64xf32>
  %first = linalg.exp ins(%in : tensor<32x64xf32>) outs(%own : tensor<32x64xf32>) -> tensor<32x64xf32>
  %second = bufferization.alloc_tensor() copy(%b) {memory_space = 1 : i64} : tensor<32x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = tensor.insert_slice %first into %e[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
  %1 = tensor.insert_slice %second into %0[32, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
  %2 = linalg.exp ins(%1 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----
// Not where only the function returns them, nor where one of them is not in TCM.
// CHECK-LABEL: func.func @blocks_that_stay
// CHECK-NOT: alloc_tensor() {memory_space = 1 : i64} : tensor<64x64xf32>
// CHECK: tensor.insert_slice
// CHECK: linalg.exp
func.func @blocks_that_stay(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %first = bufferization.alloc_tensor() copy(%a) {memory_space = 1 : i64} : tensor<32x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = tensor.insert_slice %first into %e[0, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
  %1 = tensor.insert_slice %b into %e[32, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
  %2 = linalg.exp ins(%1 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----
// What is transferred to TCM behind its tiles stays there.
// CHECK-LABEL: func.func @fetched
// CHECK: %[[RESULT:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<32x64xf32>
// CHECK: linalg.exp {{.*}} outs(%[[RESULT]] : tensor<32x64xf32>)
func.func @fetched(%a: tensor<32x64xf32>) -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %0 = linalg.exp ins(%a : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %part = tensor.extract_slice %0[16, 0] [16, 64] [1, 1] : tensor<32x64xf32> to tensor<16x64xf32>
  %1 = bufferization.alloc_tensor() copy(%part) {memory_space = 1 : i64} : tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}

// -----
// 9. No tile of a product's long reduction fits: the bias, which has no reduction, is a group of its own.
// CHECK-LABEL: func.func @long_reduction
// CHECK: scf.for %{{.*}} = %c0 to %c1048576 step %{{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (tensor<4x64xf32>)
// CHECK-COUNT-2: bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64}
// CHECK: %[[NEW:.*]] = linalg.matmul {{.*}} outs(%[[OLD]] : tensor<4x64xf32>)
// CHECK: scf.yield %[[NEW]]
// CHECK: linalg.add
func.func @long_reduction(%x: tensor<4x1048576xf32>, %w: tensor<1048576x64xf32>, %bias: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x1048576xf32>, tensor<1048576x64xf32>) outs(%f : tensor<4x64xf32>)
    -> tensor<4x64xf32>
  %a = linalg.add ins(%m, %bias : tensor<4x64xf32>, tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %a : tensor<4x64xf32>
}
