// Groups of ops share one parallel loop; each iteration works on its slices.
// RUN: hexmlir-opt %s --form-virtual-threads --split-input-file | filecheck %s

// 1. A chain with reductions: rows are split over the threads; intermediate tensors are private.
// CHECK-LABEL: func.func @softmax_rows
// CHECK: %[[R:.*]] = scf.forall (%[[I:.*]]) = (0) to (64) step (16) shared_outs(%{{.*}} = %arg1)
// CHECK: bufferization.alloc_tensor() : tensor<16xf32>
// CHECK: linalg.fill ins({{.*}}) outs(%{{.*}} : tensor<16xf32>)
// CHECK: %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [16, 1024] [1, 1]
// CHECK: linalg.reduce {{.*}}ins(%{{.*}} : tensor<16x1024xf32>) outs(%{{.*}} : tensor<16xf32>) dimensions = [1]
// CHECK: linalg.broadcast
// CHECK: linalg.sub
// CHECK: scf.forall.in_parallel
// CHECK: return %[[R]]
func.func @softmax_rows(%x: tensor<64x1024xf32>, %o: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.reduce ins(%x : tensor<64x1024xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %b = arith.maxnumf %in, %out : f32
      linalg.yield %b : f32
    }
  %t = tensor.empty() : tensor<64x1024xf32>
  %w = linalg.broadcast ins(%m : tensor<64xf32>) outs(%t : tensor<64x1024xf32>) dimensions = [1]
  %s = linalg.sub ins(%x, %w : tensor<64x1024xf32>, tensor<64x1024xf32>) outs(%o : tensor<64x1024xf32>)
      -> tensor<64x1024xf32>
  return %s : tensor<64x1024xf32>
}

// -----
// 2. A ragged length: blocks of whole vectors, the last one smaller.
// CHECK: #[[MIN:.*]] = affine_map<(d0) -> (25024, -d0 + 100003)>
// CHECK-LABEL: func.func @ragged
// CHECK: scf.forall (%[[I:.*]]) = (0) to (100003) step (25024)
// CHECK: %[[N:.*]] = affine.min #[[MIN]](%[[I]])
// CHECK: tensor.extract_slice %arg0[%[[I]]] [%[[N]]] [1] : tensor<100003xf32> to tensor<?xf32>
func.func @ragged(%x: tensor<100003xf32>, %y: tensor<100003xf32>) -> tensor<100003xf32> {
  %0 = linalg.mul ins(%x, %x : tensor<100003xf32>, tensor<100003xf32>) outs(%y : tensor<100003xf32>)
      -> tensor<100003xf32>
  return %0 : tensor<100003xf32>
}

// -----
// 3. Neither 6 rows nor 2 vectors of columns balance on 4 threads: both are cut, between vectors.
// CHECK-LABEL: func.func @two_loops
// CHECK: scf.forall (%{{.*}}, %{{.*}}) = (0, 0) to (6, 64) step (3, 32)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<3x4096xf32>, tensor<4096x32xf32>) outs(%{{.*}} : tensor<3x32xf32>)
func.func @two_loops(%a: tensor<6x4096xf32>, %b: tensor<4096x64xf32>, %c: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<6x4096xf32>, tensor<4096x64xf32>) outs(%c : tensor<6x64xf32>)
      -> tensor<6x64xf32>
  return %0 : tensor<6x64xf32>
}

// -----
// 4. An index in the body counts from the start of the whole, not of the slice.
// CHECK-LABEL: func.func @indices
// CHECK: scf.forall (%[[I:.*]]) = (0) to (65536) step (16384)
// CHECK: %[[AT:.*]] = linalg.index 0
// CHECK-NEXT: %[[WHOLE:.*]] = arith.addi %[[AT]], %[[I]]
// CHECK-NEXT: arith.index_cast %[[WHOLE]]
func.func @indices(%o: tensor<65536xi32>) -> tensor<65536xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%o : tensor<65536xi32>) {
    ^bb0(%a: i32):
      %i = linalg.index 0 : index
      %k = arith.index_cast %i : index to i32
      %s = arith.muli %k, %k : i32
      linalg.yield %s : i32
  } -> tensor<65536xi32>
  return %0 : tensor<65536xi32>
}

// -----
// 5. Two results that start from the same empty tensor get one each; a result used in between ends the group.
// CHECK-LABEL: func.func @two_results
// CHECK: tensor.empty
// CHECK: tensor.empty
// CHECK: %[[R:.*]]:2 = scf.forall
// CHECK: linalg.add
// CHECK: linalg.mul
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @two_results(%x: tensor<65536xf32>) -> (tensor<65536xf32>, tensor<65536xf32>) {
  %e = tensor.empty() : tensor<65536xf32>
  %0 = linalg.add ins(%x, %x : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %1 = linalg.mul ins(%0, %x : tensor<65536xf32>, tensor<65536xf32>) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  return %0, %1 : tensor<65536xf32>, tensor<65536xf32>
}

// -----
// 6. Inside a tile loop: the threads share the tile.
// CHECK-LABEL: func.func @tiles
// CHECK: scf.for
// CHECK: scf.forall (%{{.*}}) = (0) to (262144) step (65536)
// CHECK: tensor.insert_slice
func.func @tiles(%x: tensor<1048576xf32>, %o: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %c0 = arith.constant 0 : index
  %n = arith.constant 1048576 : index
  %tile = arith.constant 262144 : index
  %r = scf.for %i = %c0 to %n step %tile iter_args(%acc = %o) -> tensor<1048576xf32> {
    %s = tensor.extract_slice %x[%i] [262144] [1] : tensor<1048576xf32> to tensor<262144xf32>
    %t = bufferization.alloc_tensor() copy(%s) {memory_space = 1 : i64} : tensor<262144xf32>
    %e = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<262144xf32>
    %m = linalg.mul ins(%t, %t : tensor<262144xf32>, tensor<262144xf32>) outs(%e : tensor<262144xf32>)
        -> tensor<262144xf32>
    %b = tensor.insert_slice %m into %acc[%i] [262144] [1] : tensor<262144xf32> into tensor<1048576xf32>
    scf.yield %b : tensor<1048576xf32>
  }
  return %r : tensor<1048576xf32>
}

// -----
// 7. A tile whose size is known at run time, with a bound: as many blocks of whole vectors as of the bound, no smaller
// than pays.
// CHECK: #[[LEFT:.*]] = affine_map<(d0)[s0, s1] -> (s1, -d0 + s0)>
// CHECK-LABEL: func.func @ragged_tiles
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: %[[SUM:.*]] = arith.addi %[[SIZE]], %c127
// CHECK: %[[UNITS:.*]] = arith.divui %[[SUM]], %c128
// CHECK: %[[EQUAL:.*]] = arith.muli %[[UNITS]], %c32
// CHECK: %[[MOST:.*]] = arith.minsi %[[EQUAL]], %c10016
// CHECK: %[[CHUNK:.*]] = arith.maxsi %[[MOST]], %c
// CHECK: scf.forall (%[[I:.*]]) = (0) to (%[[SIZE]]) step (%[[CHUNK]])
// CHECK: %[[N:.*]] = affine.min #[[LEFT]](%[[I]])[%[[SIZE]], %[[CHUNK]]]
// CHECK: tensor.extract_slice %{{.*}}[%[[I]]] [%[[N]]] [1] : tensor<?xf32> to tensor<?xf32>
func.func @ragged_tiles(%x: tensor<100003xf32>, %o: tensor<100003xf32>) -> tensor<100003xf32> {
  %c0 = arith.constant 0 : index
  %n = arith.constant 100003 : index
  %tile = arith.constant 40064 : index
  %r = scf.for %i = %c0 to %n step %tile iter_args(%acc = %o) -> tensor<100003xf32> {
    %size = affine.min affine_map<(d0) -> (40064, -d0 + 100003)>(%i)
    %s = tensor.extract_slice %x[%i] [%size] [1] : tensor<100003xf32> to tensor<?xf32>
    %t = bufferization.alloc_tensor() copy(%s) {memory_space = 1 : i64} : tensor<?xf32>
    %dim = tensor.dim %s, %c0 : tensor<?xf32>
    %e = bufferization.alloc_tensor(%dim) {memory_space = 1 : i64} : tensor<?xf32>
    %0 = linalg.exp ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                         iterator_types = ["parallel"]} ins(%0 : tensor<?xf32>) outs(%0 : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32):
        %1 = arith.mulf %a, %a : f32
        %2 = arith.addf %1, %a : f32
        %3 = arith.mulf %2, %a : f32
        %4 = arith.addf %3, %a : f32
        linalg.yield %4 : f32
    } -> tensor<?xf32>
    %b = tensor.insert_slice %m into %acc[%i] [%size] [1] : tensor<?xf32> into tensor<100003xf32>
    scf.yield %b : tensor<100003xf32>
  }
  return %r : tensor<100003xf32>
}

// -----
// Programs of a Triton kernel: from a number of them on, runs of consecutive programs on threads; x varies fastest.
// CHECK-LABEL: func.func @squares(
// CHECK-NOT: hexagon.programs
// CHECK-LABEL: func.func @squares.grid(
// CHECK-SAME: %arg0: memref<1xf32>, %arg1: memref<1xf32>, %arg2: i32, %arg3: i32, %arg4: i32, %arg5: i32)
// CHECK: %[[TOTAL:.*]] = arith.muli
// CHECK: %[[ALL:.*]] = arith.muli
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %[[ALL]],
// CHECK: scf.if %[[ENOUGH]]
// CHECK: %[[LENGTH:.*]] = arith.ceildivsi %[[ALL]], %c16
// CHECK: scf.forall (%[[FIRST:.*]]) = (%{{.*}}) to (%[[ALL]]) step (%[[LENGTH]])
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}})
// CHECK: %[[I:.*]] = arith.index_cast %[[X]]
// CHECK: call @squares(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %[[I]],
// CHECK: } else {
// CHECK: scf.for
// CHECK: call @squares(
func.func @squares(%x: memref<1xf32>, %out: memref<1xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32)
    attributes {hexagon.programs = "independent"} {
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %i, %c1024 : i32
  %at = arith.index_cast %start : i32 to index
  %buffer = memref.alloc() : memref<1024xf32>
  %source = memref.reinterpret_cast %x to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  memref.copy %source, %buffer : memref<1024xf32, strided<[1], offset: ?>> to memref<1024xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<1024xf32> to tensor<1024xf32>
  %e = tensor.empty() : tensor<1024xf32>
  %w = linalg.mul ins(%v, %v : tensor<1024xf32>, tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %target = memref.reinterpret_cast %out to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %w in restrict writable %target : (tensor<1024xf32>, memref<1024xf32, strided<[1], offset: ?>>) -> ()
  return
}

// -----
// A reduction to one value: each thread has a partial result, in a vector of its own; an op combines the four.
// CHECK-LABEL: func.func @one_sum
// CHECK: %[[PARTS:.*]] = bufferization.alloc_tensor() : tensor<4x32xf32>
// CHECK: %[[R:.*]] = scf.forall (%[[T:.*]]) in (4) shared_outs(%[[O:.*]] = %[[PARTS]])
// CHECK: %[[AT:.*]] = affine.apply {{.*}}(%[[T]])
// CHECK: tensor.extract_slice %arg0[%[[AT]]] [262144] [1] : tensor<1048576xf32> to tensor<262144xf32>
// CHECK: tensor.extract_slice %[[O]][%[[T]], 0] [1, 1] [1, 1] : tensor<4x32xf32> to tensor<f32>
// CHECK: arith.constant -0.000000e+00
// CHECK: linalg.generic {{.*}}ins({{.*}} : f32) outs({{.*}} : tensor<f32>)
// CHECK: linalg.reduce ins({{.*}} : tensor<262144xf32>) outs({{.*}} : tensor<f32>) dimensions = [0]
// CHECK: tensor.parallel_insert_slice {{.*}} into %[[O]][%[[T]], 0] [1, 1] [1, 1]
// CHECK: %[[ALL:.*]] = tensor.extract_slice %[[R]][0, 0] [4, 1] [1, 1] : tensor<4x32xf32> to tensor<4xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[ALL]] : tensor<4xf32>) outs(%arg1 : tensor<f32>)
// CHECK: arith.addf
func.func @one_sum(%x: tensor<1048576xf32>, %o: tensor<f32>) -> tensor<f32> {
  %s = linalg.reduce ins(%x : tensor<1048576xf32>) outs(%o : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %b = arith.addf %in, %out : f32
      linalg.yield %b : f32
    }
  return %s : tensor<f32>
}

// -----
// Two rows are too few for four threads: the rows' parts are split, the last one is shorter.
// CHECK: #[[LEFT:.*]] = affine_map<(d0) -> (25024, d0 * -25024 + 100003)>
// CHECK-LABEL: func.func @two_rows
// CHECK: scf.forall (%[[T:.*]]) in (4) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<4x32xi32>)
// CHECK: affine.min #[[LEFT]](%[[T]])
// CHECK: tensor.extract_slice %{{.*}}[%[[T]], 0] [1, 2] [1, 1] : tensor<4x32xi32> to tensor<2xi32>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]} ins(%{{.*}} : tensor<4x2xi32>) outs(%arg1 : tensor<2xi32>)
// CHECK: arith.maxsi
func.func @two_rows(%x: tensor<2x100003xi32>, %o: tensor<2xi32>) -> tensor<2xi32> {
  %s = linalg.reduce ins(%x : tensor<2x100003xi32>) outs(%o : tensor<2xi32>) dimensions = [1]
    (%in: i32, %out: i32) {
      %b = arith.maxsi %in, %out : i32
      linalg.yield %b : i32
    }
  return %s : tensor<2xi32>
}

// -----
// An op that reads a result at any index does not join its group: it runs after the whole result.
// CHECK-LABEL: func.func @enlarged
// CHECK: %[[R:.*]] = scf.forall
// CHECK-NOT: tensor.extract %
// CHECK: scf.forall.in_parallel
// CHECK: tensor.extract %[[R]]
func.func @enlarged(%x: tensor<256x1024xf32>, %o: tensor<256x1024xf32>, %p: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %y = linalg.mul ins(%x, %x : tensor<256x1024xf32>, tensor<256x1024xf32>) outs(%o : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%p : tensor<256x1024xf32>) {
    ^bb0(%out: f32):
      %two = arith.constant 2 : index
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %half = arith.divui %i, %two : index
      %e = tensor.extract %y[%half, %j] : tensor<256x1024xf32>
      linalg.yield %e : f32
    } -> tensor<256x1024xf32>
  return %z : tensor<256x1024xf32>
}

// -----
// The same where it reads the result at its own index as well.
// CHECK-LABEL: func.func @enlarged_and_added
// CHECK: %[[R:.*]] = scf.forall
// CHECK-NOT: tensor.extract %
// CHECK: scf.forall.in_parallel
// CHECK: tensor.extract %[[R]]
func.func @enlarged_and_added(%x: tensor<256x1024xf32>, %o: tensor<256x1024xf32>, %p: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %y = linalg.mul ins(%x, %x : tensor<256x1024xf32>, tensor<256x1024xf32>) outs(%o : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<256x1024xf32>) outs(%p : tensor<256x1024xf32>) {
    ^bb0(%a: f32, %out: f32):
      %two = arith.constant 2 : index
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %half = arith.divui %i, %two : index
      %e = tensor.extract %y[%half, %j] : tensor<256x1024xf32>
      %s = arith.addf %a, %e : f32
      linalg.yield %s : f32
    } -> tensor<256x1024xf32>
  return %z : tensor<256x1024xf32>
}

// -----
// 8. A convolution in strides of two: each thread takes the rows its results need, one of which it shares.
// CHECK: #[[AT:.*]] = affine_map<(d0) -> (d0 * 2)>
// CHECK-LABEL: func.func @rows_of_windows
// CHECK: scf.forall (%[[I:.*]]) = (0) to (64) step (16)
// CHECK: %[[ROW:.*]] = affine.apply #[[AT]](%[[I]])
// CHECK: tensor.extract_slice %arg0[%[[ROW]], 0] [33, 256] [1, 1] : tensor<129x256xf32> to tensor<33x256xf32>
func.func @rows_of_windows(%x: tensor<129x256xf32>, %w: tensor<3xf32>, %y: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(h, c, y) -> (h * 2 + y, c)>, affine_map<(h, c, y) -> (y)>,
                                        affine_map<(h, c, y) -> (h, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<129x256xf32>, tensor<3xf32>) outs(%y : tensor<64x256xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
  } -> tensor<64x256xf32>
  return %0 : tensor<64x256xf32>
}

// -----
// 9. Ragged blocks: as many rows as the block's results need.
// CHECK: #[[LENGTH:.*]] = affine_map<(d0) -> (d0 * 2 + 1)>
// CHECK-LABEL: func.func @ragged_windows
// CHECK: scf.forall (%[[I:.*]]) = (0) to (6001)
// CHECK: %[[N:.*]] = affine.min
// CHECK: %[[ROWS:.*]] = affine.apply #[[LENGTH]](%[[N]])
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [%[[ROWS]], 32] [1, 1] : tensor<12003x32xf32> to tensor<?x32xf32>
func.func @ragged_windows(%x: tensor<12003x32xf32>, %w: tensor<3xf32>, %y: tensor<6001x32xf32>) -> tensor<6001x32xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(h, c, y) -> (h * 2 + y, c)>, affine_map<(h, c, y) -> (y)>,
                                        affine_map<(h, c, y) -> (h, c)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<12003x32xf32>, tensor<3xf32>) outs(%y : tensor<6001x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %o, %m : f32
      linalg.yield %s : f32
  } -> tensor<6001x32xf32>
  return %0 : tensor<6001x32xf32>
}

// -----
// 7. A product of rows with rows: its columns are the lanes, so blocks are of rows. Blocks of eight columns would take
// every thread as long as all columns.
// CHECK-LABEL: func.func @rows_with_rows
// CHECK: scf.forall (%{{.*}}) = (0) to (64) step (16)
// CHECK: outs(%{{.*}} : tensor<16x32xf32>)
func.func @rows_with_rows(%x: tensor<64x256xf32>, %w: tensor<32x256xf32>, %o: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x256xf32>, tensor<32x256xf32>) outs(%o : tensor<64x32xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
  } -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// -----
// The size of a tile that lost a dimension of size one is bounded as before.
// CHECK-LABEL: func.func @collapsed
// CHECK: scf.for
// CHECK: scf.forall
#tile = affine_map<(d0) -> (-d0 + 197, 100)>
func.func @collapsed(%x: tensor<1x197x1024xf32>, %y: tensor<197x1024xf32>) -> tensor<197x1024xf32> {
  %zero = arith.constant 0 : index
  %step = arith.constant 100 : index
  %end = arith.constant 197 : index
  %0 = scf.for %i = %zero to %end step %step iter_args(%o = %y) -> (tensor<197x1024xf32>) {
    %n = affine.min #tile(%i)
    %slice = tensor.extract_slice %x[0, %i, 0] [1, %n, 1024] [1, 1, 1] : tensor<1x197x1024xf32> to tensor<1x?x1024xf32>
    %rows = tensor.collapse_shape %slice [[0, 1], [2]] : tensor<1x?x1024xf32> into tensor<?x1024xf32>
    %copy = bufferization.alloc_tensor() copy(%rows) : tensor<?x1024xf32>
    %into = tensor.extract_slice %o[%i, 0] [%n, 1024] [1, 1] : tensor<197x1024xf32> to tensor<?x1024xf32>
    %sum = linalg.add ins(%copy, %copy : tensor<?x1024xf32>, tensor<?x1024xf32>) outs(%into : tensor<?x1024xf32>)
        -> tensor<?x1024xf32>
    %next = tensor.insert_slice %sum into %o[%i, 0] [%n, 1024] [1, 1] : tensor<?x1024xf32> into tensor<197x1024xf32>
    scf.yield %next : tensor<197x1024xf32>
  }
  return %0 : tensor<197x1024xf32>
}

// -----
// 10. Tiles of the matrix engine, two of which fill a vector: seven of them are not cut, four rows of tiles are.
// CHECK-LABEL: func.func @odd_tiles
// CHECK: scf.forall (%[[ROW:.*]]) in (4) shared_outs
// CHECK: linalg.transpose ins(%{{.*}} : tensor<1x64x2x7x32xf16>) outs(%{{.*}} : tensor<1x7x64x32x2xf16>)
func.func @odd_tiles(%x: tensor<4x64x2x7x32xf16>, %y: tensor<4x7x64x32x2xf16>) -> tensor<4x7x64x32x2xf16> {
  %0 = linalg.transpose ins(%x : tensor<4x64x2x7x32xf16>) outs(%y : tensor<4x7x64x32x2xf16>) permutation = [0, 3, 1, 4, 2]
  return %0 : tensor<4x7x64x32x2xf16>
}

// -----
// 11. Of one row, seven tiles are cut along their rows; eight are four pairs.
// CHECK-LABEL: func.func @odd_tiles_of_a_row
// CHECK: scf.forall (%{{.*}}) = (0) to (512) step (128)
// CHECK-LABEL: func.func @even_tiles_of_a_row
// CHECK: scf.forall (%{{.*}}) = (0) to (8) step (2)
func.func @odd_tiles_of_a_row(%x: tensor<512x2x7x32xf16>, %y: tensor<7x512x32x2xf16>) -> tensor<7x512x32x2xf16> {
  %0 = linalg.transpose ins(%x : tensor<512x2x7x32xf16>) outs(%y : tensor<7x512x32x2xf16>) permutation = [2, 0, 3, 1]
  return %0 : tensor<7x512x32x2xf16>
}
func.func @even_tiles_of_a_row(%x: tensor<512x2x8x32xf16>, %y: tensor<8x512x32x2xf16>) -> tensor<8x512x32x2xf16> {
  %0 = linalg.transpose ins(%x : tensor<512x2x8x32xf16>) outs(%y : tensor<8x512x32x2xf16>) permutation = [2, 0, 3, 1]
  return %0 : tensor<8x512x32x2xf16>
}

// -----
// 12. Four rows of tiles of one factor could be four chunks, but not four columns of tiles of the other: one column has
// no vectors of two. Two chunks of two are cut of both.
// CHECK-LABEL: func.func @pairs_of_one_factor
// CHECK: scf.forall (%{{.*}}) = (0) to (4) step (2)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<2x64x2x2x32xf16>)
// CHECK: linalg.transpose ins(%{{.*}} : tensor<4x32x2x16x2xf16>)
func.func @pairs_of_one_factor(%x: tensor<4x64x2x2x32xf16>, %y: tensor<2x4x64x32x2xf16>, %u: tensor<4x32x4x16x2xf16>, %v: tensor<4x4x16x32x2xf16>)
    -> (tensor<2x4x64x32x2xf16>, tensor<4x4x16x32x2xf16>) {
  %0 = linalg.transpose ins(%x : tensor<4x64x2x2x32xf16>) outs(%y : tensor<2x4x64x32x2xf16>) permutation = [3, 0, 1, 4, 2]
  %1 = linalg.transpose ins(%u : tensor<4x32x4x16x2xf16>) outs(%v : tensor<4x4x16x32x2xf16>) permutation = [2, 0, 3, 1, 4]
  return %0, %1 : tensor<2x4x64x32x2xf16>, tensor<4x4x16x32x2xf16>
}

// -----
// 13. What conversions of f16 and f32 take has been measured: 2,700 cycles are spread, 700 are not. Rows of whole tensors
// that follow one another have no lanes to spare.
// CHECK-LABEL: func.func @conversions
// CHECK: scf.forall
// CHECK: arith.truncf
// CHECK-LABEL: func.func @fewer_conversions
// CHECK-NOT: scf.forall
// CHECK: arith.truncf
// CHECK-LABEL: func.func @short_rows
// CHECK-NOT: scf.forall
// CHECK: arith.extf
#same = affine_map<(i, j) -> (i, j)>
func.func @conversions(%x: tensor<16x1024xf32>, %y: tensor<16x1024xf16>) -> tensor<16x1024xf16> {
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<16x1024xf32>) outs(%y : tensor<16x1024xf16>) {
    ^bb0(%a: f32, %old: f16):
      %t = arith.truncf %a : f32 to f16
      linalg.yield %t : f16
  } -> tensor<16x1024xf16>
  return %0 : tensor<16x1024xf16>
}
func.func @fewer_conversions(%x: tensor<4x1024xf32>, %y: tensor<4x1024xf16>) -> tensor<4x1024xf16> {
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x1024xf32>) outs(%y : tensor<4x1024xf16>) {
    ^bb0(%a: f32, %old: f16):
      %t = arith.truncf %a : f32 to f16
      linalg.yield %t : f16
  } -> tensor<4x1024xf16>
  return %0 : tensor<4x1024xf16>
}
func.func @short_rows(%x: tensor<128x32xf16>, %y: tensor<128x32xf32>) -> tensor<128x32xf32> {
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x32xf16>) outs(%y : tensor<128x32xf32>) {
    ^bb0(%a: f16, %old: f32):
      %t = arith.extf %a : f16 to f32
      linalg.yield %t : f32
  } -> tensor<128x32xf32>
  return %0 : tensor<128x32xf32>
}

// -----

// Rows of a transpose stay together: few of them take as long as a block.
// CHECK-LABEL: func.func @transpose_to_f32
// CHECK: scf.forall (%{{.*}}) = (0) to (196) step (49)
func.func @transpose_to_f32(%x: tensor<192x196xf16>, %y: tensor<196x192xf32>) -> tensor<196x192xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<192x196xf16>) outs(%y : tensor<196x192xf32>) {
  ^bb0(%a: f16, %b: f32):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1 : f32
  } -> tensor<196x192xf32>
  return %0 : tensor<196x192xf32>
}
