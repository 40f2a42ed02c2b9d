// Copies between rows and the matrix engine's tiles of bytes, planes of sums, and sums of weights.
// RUN: hexmlir-opt %s --hexagon-byte-interleaving --split-input-file | filecheck %s

// 1. Activations: words of 32 bytes of four rows, one in each of four tiles; signs are flipped before.
// CHECK-LABEL: func.func @activations
// CHECK-DAG: memref.collapse_shape %arg0 {{.*}} into memref<2x64x256xi8, 1>
// CHECK-DAG: memref.collapse_shape %arg1 {{.*}} into memref<2x8x2048xi8, 1>
// CHECK-COUNT-3: scf.for
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 1 : i64} : memref<2x64x256xi8, 1>, vector<128xi8>
// CHECK-COUNT-4: arith.xori {{.*}} : vector<128xi8>
// CHECK: vector.shuffle {{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 32, 33, {{.*}} : vector<32xi32>, vector<32xi32>
// CHECK-COUNT-4: vector.store {{.*}} : memref<2x8x2048xi8, 1>, vector<128xi8>
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @activations(%rows: memref<2x64x8x32xi8, 1>, %tiles: memref<2x8x64x32xi8, 1>) {
  %c = arith.constant -128 : i8
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<2x64x8x32xi8, 1>) outs(%tiles : memref<2x8x64x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.xori %x, %c : i8
    linalg.yield %0 : i8
  }
  return
}

// -----
// 2. Weights, five columns of tiles: bytes of four rows; the second group of columns begins at the second one.
// CHECK-LABEL: func.func @weights
// CHECK: vector.load {{.*}} : memref<3x8x4x160xi8, 1>, vector<128xi8>
// CHECK: vector.shuffle {{.*}} [0, 128, 1, 129, 2, 130, {{.*}} : vector<128xi8>, vector<128xi8>
// CHECK-COUNT-4: vector.store {{.*}} : memref<5x3x8x128xi8, 1>, vector<128xi8>
// CHECK: %[[FIRST:.*]] = arith.muli %c1{{.*}}, %c32{{.*}} : index
// CHECK: vector.load {{.*}}%[[FIRST]]] {{.*}} : memref<3x8x4x160xi8, 1>, vector<128xi8>
#rows = affine_map<(ct, kt, k, c, l) -> (kt, k, l, ct, c)>
#tiles = affine_map<(ct, kt, k, c, l) -> (ct, kt, k, c, l)>
func.func @weights(%rows: memref<3x8x4x5x32xi8, 1>, %tiles: memref<5x3x8x32x4xi8, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<3x8x4x5x32xi8, 1>) outs(%tiles : memref<5x3x8x32x4xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// 3. Weights that lie column by column: words of four bytes of 32 rows.
// CHECK-LABEL: func.func @by_column
// CHECK-COUNT-32: vector.load {{.*}} : memref<2x32x128xi8, 1>, vector<128xi8>
// CHECK-COUNT-32: vector.store {{.*}} : memref<2x4x8x128xi8, 1>, vector<128xi8>
// CHECK-NOT: vector.store
#rows = affine_map<(ct, kt, k, c, l) -> (ct, c, kt, k, l)>
#tiles = affine_map<(ct, kt, k, c, l) -> (ct, kt, k, c, l)>
func.func @by_column(%rows: memref<2x32x4x8x4xi8, 1>, %tiles: memref<2x4x8x32x4xi8, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<2x32x4x8x4xi8, 1>) outs(%tiles : memref<2x4x8x32x4xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// 4. Planes: bytes of each become words, plus one of each column.
// CHECK-LABEL: func.func @planes
// CHECK-COUNT-4: vector.load {{.*}} : memref<1x2x4x2048xi8, 1>, vector<128xi8>
// CHECK: vector.bitcast {{.*}} : vector<128xi8> to vector<32xi32>
// CHECK: vector.load %arg1
// CHECK: arith.addi {{.*}} : vector<32xi32>
// CHECK: vector.store {{.*}} : memref<1x64x2x32xi32, 1>, vector<32xi32>
#p0 = affine_map<(rt, r, ct, c) -> (rt, ct, 0, r, c)>
#p1 = affine_map<(rt, r, ct, c) -> (rt, ct, 1, r, c)>
#p2 = affine_map<(rt, r, ct, c) -> (rt, ct, 2, r, c)>
#p3 = affine_map<(rt, r, ct, c) -> (rt, ct, 3, r, c)>
#column = affine_map<(rt, r, ct, c) -> (ct, c)>
#rows = affine_map<(rt, r, ct, c) -> (rt, r, ct, c)>
func.func @planes(%planes: memref<1x2x4x64x32xi8, 1>, %added: memref<2x32xi32, 1>, %rows: memref<1x64x2x32xi32, 1>) {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  linalg.generic {indexing_maps = [#p0, #p1, #p2, #p3, #column, #rows], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%planes, %planes, %planes, %planes, %added : memref<1x2x4x64x32xi8, 1>, memref<1x2x4x64x32xi8, 1>, memref<1x2x4x64x32xi8, 1>, memref<1x2x4x64x32xi8, 1>, memref<2x32xi32, 1>) outs(%rows : memref<1x64x2x32xi32, 1>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %w: i8, %v: i32, %old: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.shli %1, %c8 : i32
    %3 = arith.ori %0, %2 : i32
    %4 = arith.extui %z : i8 to i32
    %5 = arith.shli %4, %c16 : i32
    %6 = arith.ori %3, %5 : i32
    %7 = arith.extui %w : i8 to i32
    %8 = arith.shli %7, %c24 : i32
    %9 = arith.ori %6, %8 : i32
    %10 = arith.addi %9, %v : i32
    linalg.yield %10 : i32
  }
  return
}

// -----
// 4. Planes of a number of rows and columns that is known at run time, as chunks of threads have.
// CHECK-LABEL: func.func @some_planes
// CHECK: memref.dim %arg0
// CHECK: memref.dim %arg0
// CHECK-COUNT-4: vector.load {{.*}} : memref<?x?x4x2048xi8, strided<[57344, 8192, 2048, 1]>, 1>, vector<128xi8>
// CHECK: vector.store {{.*}} : memref<?x64x?x32xi32, strided<[14336, 224, 32, 1]>, 1>, vector<32xi32>
// CHECK-NOT: linalg.generic
#p0 = affine_map<(rt, r, ct, c) -> (rt, ct, 0, r, c)>
#p1 = affine_map<(rt, r, ct, c) -> (rt, ct, 1, r, c)>
#p2 = affine_map<(rt, r, ct, c) -> (rt, ct, 2, r, c)>
#p3 = affine_map<(rt, r, ct, c) -> (rt, ct, 3, r, c)>
#rows = affine_map<(rt, r, ct, c) -> (rt, r, ct, c)>
func.func @some_planes(%planes: memref<?x?x4x64x32xi8, strided<[57344, 8192, 2048, 32, 1]>, 1>, %rows: memref<?x64x?x32xi32, strided<[14336, 224, 32, 1]>, 1>) {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  linalg.generic {indexing_maps = [#p0, #p1, #p2, #p3, #rows], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%planes, %planes, %planes, %planes : memref<?x?x4x64x32xi8, strided<[57344, 8192, 2048, 32, 1]>, 1>, memref<?x?x4x64x32xi8, strided<[57344, 8192, 2048, 32, 1]>, 1>, memref<?x?x4x64x32xi8, strided<[57344, 8192, 2048, 32, 1]>, 1>, memref<?x?x4x64x32xi8, strided<[57344, 8192, 2048, 32, 1]>, 1>) outs(%rows : memref<?x64x?x32xi32, strided<[14336, 224, 32, 1]>, 1>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %w: i8, %old: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.shli %1, %c8 : i32
    %3 = arith.ori %0, %2 : i32
    %4 = arith.extui %z : i8 to i32
    %5 = arith.shli %4, %c16 : i32
    %6 = arith.ori %3, %5 : i32
    %7 = arith.extui %w : i8 to i32
    %8 = arith.shli %7, %c24 : i32
    %9 = arith.ori %6, %8 : i32
    linalg.yield %9 : i32
  }
  return
}

// -----
// Tiles of pixels: four pixels of a row, 512 bytes apart, of four tiles side by side. Only the sizes of a row are known.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[ROWS:.*]] = memref.dim %{{.*}}, %c2
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %[[ROWS]]
// CHECK-COUNT-4: vector.load {{.*}} vector<128xi8>
// CHECK-COUNT-4: vector.store
// CHECK-NOT: linalg.generic
func.func @pixels(%image: memref<?x2304xi8, 1>, %tiles: memref<3x4x?x4x32xi8, strided<[4096, 1024, 128, 32, 1]>, 1>) {
  linalg.generic {indexing_maps = [affine_map<(r, t, h, w, c) -> (r + h * 3, t * 32 + w * 512 + c)>,
      affine_map<(r, t, h, w, c) -> (r, t, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%image : memref<?x2304xi8, 1>) outs(%tiles : memref<3x4x?x4x32xi8, strided<[4096, 1024, 128, 32, 1]>, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// 5. As many rows of tiles as a thread has.
// CHECK-LABEL: func.func @some_rows
// CHECK: %[[ROWS:.*]] = memref.dim %arg0
// CHECK: scf.for {{.*}} to %[[ROWS]]
// CHECK: vector.shuffle
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @some_rows(%rows: memref<?x64x8x32xi8, 1>, %tiles: memref<?x8x64x32xi8, 1>) {
  linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%rows : memref<?x64x8x32xi8, 1>) outs(%tiles : memref<?x8x64x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// Planes of tiles of pixels, two rows of each and fourteen of their sixteen columns: the last four are not aligned.
// CHECK-LABEL: func.func @columns_of_tiles
// CHECK-COUNT-12: vector.load {{.*}}448xi8, {{.*}} vector<128xi8>
// CHECK: scf.for
// CHECK: arith.muli %c10, %c32
// CHECK-COUNT-4: vector.load {{.*}}448xi8, {{.*}} vector<128xi8>
// CHECK: vector.store {{.*}} vector<32xi32>
#p0 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 0, h, w, c)>
#p1 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 1, h, w, c)>
#p2 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 2, h, w, c)>
#p3 = affine_map<(h, ty, w, tx, ct, c) -> (ty, tx, ct, 3, h, w, c)>
#sums = affine_map<(h, ty, w, tx, ct, c) -> (h, ty, w, tx, ct, c)>
func.func @columns_of_tiles(%planes: memref<2x1x2x4x2x14x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, %sums: memref<2x2x14x1x2x32xi32, 1>) {
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  linalg.generic {indexing_maps = [#p0, #p1, #p2, #p3, #sums], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%planes, %planes, %planes, %planes : memref<2x1x2x4x2x14x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, memref<2x1x2x4x2x14x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, memref<2x1x2x4x2x14x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>, memref<2x1x2x4x2x14x32xi8, strided<[16384, 16384, 8192, 2048, 512, 32, 1]>, 1>) outs(%sums : memref<2x2x14x1x2x32xi32, 1>) {
  ^bb0(%x: i8, %y: i8, %z: i8, %w: i8, %old: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.shli %1, %c8 : i32
    %3 = arith.ori %0, %2 : i32
    %4 = arith.extui %z : i8 to i32
    %5 = arith.shli %4, %c16 : i32
    %6 = arith.ori %3, %5 : i32
    %7 = arith.extui %w : i8 to i32
    %8 = arith.shli %7, %c24 : i32
    %9 = arith.ori %6, %8 : i32
    linalg.yield %9 : i32
  }
  return
}

// -----
// Pixels of three channels, two elements of the image apart: each is loaded to its place in the vector.
// CHECK-LABEL: func.func @narrow_pixels
// CHECK-COUNT-3: scf.for
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 1 : i64} : memref<9x384xi8, 1>, vector<128xi8>
// CHECK: %[[FIRST:.*]] = arith.andi
// CHECK: %[[SECOND:.*]] = arith.andi
// CHECK: arith.ori
// CHECK: vector.store {{.*}} : memref<9x7x8x256xi8, 1>, vector<128xi8>
#image = affine_map<(r, t, h, w, c) -> (r, t * 6 + w * 42 + c)>
#tiles = affine_map<(r, t, h, w, c) -> (r, t, h, w, c)>
func.func @narrow_pixels(%image: memref<9x384xi8, 1>, %tiles: memref<9x7x8x8x32xi8, 1>) {
  linalg.generic {indexing_maps = [#image, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%image : memref<9x384xi8, 1>) outs(%tiles : memref<9x7x8x8x32xi8, 1>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  }
  return
}

// -----
// Rows of tiles that threads share, a number of them that is known at run time only, a multiple of four.
// CHECK-LABEL: func.func @shared
// CHECK: scf.forall
// CHECK-NOT: linalg.generic
// CHECK-COUNT-4: vector.store {{.*}} : memref<2x8x?xi8, strided<[16384, 2048, 1], offset: ?>, 1>, vector<128xi8>
#rows = affine_map<(rt, kt, r, k) -> (rt, r, kt, k)>
#tiles = affine_map<(rt, kt, r, k) -> (rt, kt, r, k)>
func.func @shared(%rows: memref<2x64x8x32xi8, 1>, %tiles: memref<2x8x64x32xi8, 1>, %free: i1) {
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = arith.select %free, %c16, %c64 : index
  scf.forall (%i) = (0) to (64) step (%n) {
    %x = memref.subview %rows[0, %i, 0, 0] [2, %n, 8, 32] [1, 1, 1, 1] : memref<2x64x8x32xi8, 1>
        to memref<2x?x8x32xi8, strided<[16384, 256, 32, 1], offset: ?>, 1>
    %y = memref.subview %tiles[0, 0, %i, 0] [2, 8, %n, 32] [1, 1, 1, 1] : memref<2x8x64x32xi8, 1>
        to memref<2x8x?x32xi8, strided<[16384, 2048, 32, 1], offset: ?>, 1>
    linalg.generic {indexing_maps = [#rows, #tiles], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%x : memref<2x?x8x32xi8, strided<[16384, 256, 32, 1], offset: ?>, 1>)
        outs(%y : memref<2x8x?x32xi8, strided<[16384, 2048, 32, 1], offset: ?>, 1>) {
    ^bb0(%a: i8, %old: i8):
      linalg.yield %a : i8
    }
  }
  return
}
