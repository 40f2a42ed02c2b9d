// Columns of two weights in a byte to tiles of nibbles: eight vectors of rows at a time, their nibbles regrouped in 16 bits,
// then bytes and words interleaved. The sums of the columns of such tiles are two dot products for each vector.
// RUN: hexmlir-opt %s --hexagon-byte-interleaving | filecheck %s
// RUN: sed "s/x8x16xi8/x4x16xi8/g; s/<8x1x4x16/<4x1x4x16/g" %s | hexmlir-opt - --hexagon-byte-interleaving | filecheck %s --check-prefix=NARROW

// CHECK-LABEL: func.func @pack
// CHECK-NOT: linalg.generic
// CHECK-COUNT-2: vector.load {{.*}} : memref<1x4x2x4x128xi8, 1>, vector<128xi8>
// CHECK: arith.andi {{.*}} : vector<64xi16>
// CHECK: arith.shli {{.*}} : vector<64xi16>
// CHECK: arith.shrui {{.*}} : vector<64xi16>
// CHECK: vector.store {{.*}} : memref<8x1x4x128xi8, 1>, vector<128xi8>
// NARROW-LABEL: func.func @pack
// NARROW: linalg.generic
func.func @pack(%rows: memref<1x4x2x4x8x16xi8, 1>, %tiles: memref<8x1x4x16x2x4xi8, 1>) {
  %bits = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  linalg.generic {indexing_maps = [affine_map<(ct, kt, k, c, h, l) -> (kt, k, 0, l, ct, c)>,
      affine_map<(ct, kt, k, c, h, l) -> (kt, k, 1, l, ct, c)>, affine_map<(ct, kt, k, c, h, l) -> (ct, kt, k, c, h, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%rows, %rows : memref<1x4x2x4x8x16xi8, 1>, memref<1x4x2x4x8x16xi8, 1>) outs(%tiles : memref<8x1x4x16x2x4xi8, 1>) {
  ^bb0(%x: i8, %y: i8, %old: i8):
    %h = linalg.index 4 : index
    %number = arith.index_cast %h : index to i8
    %places = arith.muli %number, %bits : i8
    %0 = arith.shrui %x, %places : i8
    %1 = arith.andi %0, %mask : i8
    %2 = arith.shrui %y, %places : i8
    %3 = arith.shli %2, %bits : i8
    %4 = arith.ori %1, %3 : i8
    linalg.yield %4 : i8
  }
  return
}

// CHECK-LABEL: func.func @sums
// CHECK-NOT: linalg.generic
// CHECK: arith.constant dense<-8> : vector<128xi32>
// CHECK: arith.shli {{.*}} : vector<64xi16>
// CHECK-COUNT-2: arith.muli {{.*}} : vector<128xi32>
func.func @sums(%tiles: memref<1x1x4x32x4xi8, 1>, %sums: memref<1x32xi32, 1>) {
  %bits = arith.constant 4 : i8
  %c = arith.constant -128 : i32
  linalg.generic {indexing_maps = [affine_map<(ct, c, kt, k, l) -> (ct, kt, k, c, l)>,
      affine_map<(ct, c, kt, k, l) -> (ct, c)>], iterator_types = ["parallel", "parallel", "reduction", "reduction",
      "reduction"]} ins(%tiles : memref<1x1x4x32x4xi8, 1>) outs(%sums : memref<1x32xi32, 1>) {
  ^bb0(%byte: i8, %old: i32):
    %0 = arith.shli %byte, %bits : i8
    %1 = arith.shrsi %0, %bits : i8
    %2 = arith.shrsi %byte, %bits : i8
    %3 = arith.addi %1, %2 : i8
    %4 = arith.extsi %3 : i8 to i32
    %5 = arith.muli %4, %c : i32
    %6 = arith.addi %old, %5 : i32
    linalg.yield %6 : i32
  }
  return
}

// Rows of two weights in a byte, from 0 to 15 less 8: four vectors of rows at a time; the first bit of each nibble is flipped.
// CHECK-LABEL: func.func @pack_rows
// CHECK-NOT: linalg.generic
// CHECK-COUNT-2: vector.load {{.*}} : memref<1x4x2x2x128xi8, 1>, vector<128xi8>
// CHECK: arith.shli {{.*}} : vector<64xi16>
// CHECK: arith.xori {{.*}} : vector<128xi8>
// CHECK: vector.store {{.*}} : memref<4x1x4x128xi8, 1>, vector<128xi8>
func.func @pack_rows(%rows: memref<1x4x2x2x4x32xi8, 1>, %tiles: memref<4x1x4x32x2x2xi8, 1>) {
  %bits = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  %flip = arith.constant -120 : i8
  linalg.generic {indexing_maps = [affine_map<(ct, kt, k, c, l, h) -> (kt, k, 0, l, ct, c)>,
      affine_map<(ct, kt, k, c, l, h) -> (kt, k, 1, l, ct, c)>, affine_map<(ct, kt, k, c, l, h) -> (ct, kt, k, c, l, h)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%rows, %rows : memref<1x4x2x2x4x32xi8, 1>, memref<1x4x2x2x4x32xi8, 1>) outs(%tiles : memref<4x1x4x32x2x2xi8, 1>) {
  ^bb0(%x: i8, %y: i8, %old: i8):
    %h = linalg.index 5 : index
    %number = arith.index_cast %h : index to i8
    %places = arith.muli %number, %bits : i8
    %0 = arith.shrui %x, %places : i8
    %1 = arith.andi %0, %mask : i8
    %2 = arith.shrui %y, %places : i8
    %3 = arith.shli %2, %bits : i8
    %4 = arith.ori %1, %3 : i8
    %5 = arith.xori %4, %flip : i8
    linalg.yield %5 : i8
  }
  return
}
