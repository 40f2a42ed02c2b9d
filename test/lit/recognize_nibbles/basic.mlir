// Weights that are unpacked along the columns, and in a loop over blocks of the reduction along the rows.
// RUN: hexmlir-opt %s --recognize-nibbles | filecheck %s
#same = affine_map<(i, j) -> (i, j)>
#stacked = affine_map<(i, j, h) -> (h, i, j)>
#rows = affine_map<(i, h, j) -> (h, i, j)>
#third = affine_map<(i, j, h) -> (i, j, h)>
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#sum = affine_map<(m, n, k) -> (m, n)>
#repeated = affine_map<(i, h, j) -> (i, j)>
#three = affine_map<(i, h, j) -> (i, h, j)>

// 1. Halves less 8: the first bit of each is flipped.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: tensor.insert_slice
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<64x64xi8>) outs(%{{.*}} : tensor<64x64x2xi8>)
// CHECK: arith.xori %{{.*}}, %c-120_i8
// CHECK: linalg.index 2
// CHECK: arith.shrsi
// CHECK: %[[MATRIX:.*]] = tensor.collapse_shape %[[WIDE]] {{\[\[}}0], [1, 2]] : tensor<64x64x2xi8> into tensor<64x128xi8>
// CHECK: linalg.matmul ins(%arg0, %[[MATRIX]]
func.func @columns(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) -> tensor<64x128xi32> {
  %four = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  %eight = arith.constant 8 : i8
  %zero = arith.constant 0 : i32
  %none = tensor.empty() : tensor<64x64xi8>
  %low = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.andi %x, %mask : i8
    %1 = arith.subi %0, %eight : i8
    linalg.yield %1 : i8
  } -> tensor<64x64xi8>
  %high = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.shrui %x, %four : i8
    %1 = arith.subi %0, %eight : i8
    linalg.yield %1 : i8
  } -> tensor<64x64xi8>
  %both = tensor.empty() : tensor<2x64x64xi8>
  %one = tensor.insert_slice %low into %both[0, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xi8> into tensor<2x64x64xi8>
  %two = tensor.insert_slice %high into %one[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xi8> into tensor<2x64x64xi8>
  %into = tensor.empty() : tensor<64x64x2xi8>
  %last = linalg.generic {indexing_maps = [#stacked, #third], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%two : tensor<2x64x64xi8>) outs(%into : tensor<64x64x2xi8>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  } -> tensor<64x64x2xi8>
  %w = tensor.collapse_shape %last [[0], [1, 2]] : tensor<64x64x2xi8> into tensor<64x128xi8>
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums : tensor<64x128xi32>)
      -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// 2. The loop collects bytes, half as many rows of them.
// CHECK-LABEL: func.func @rows
// CHECK: %[[BYTES:.*]] = scf.for %[[K:.*]] = %c0{{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (tensor<32x128xi8>)
// CHECK: %[[AT:.*]] = arith.divui %[[K]], %c2
// CHECK: %[[BLOCK:.*]] = tensor.extract_slice %arg1[%[[AT]], 0]
// CHECK-NEXT: tensor.insert_slice %[[BLOCK]] into %[[OLD]][%[[AT]], 0] [16, 128] [1, 1] : tensor<16x128xi8> into tensor<32x128xi8>
// CHECK: scf.yield
// CHECK: linalg.generic {{.*}} ins(%[[BYTES]] : tensor<32x128xi8>) outs(%{{.*}} : tensor<32x2x128xi8>)
// CHECK: linalg.index 1
// CHECK-NOT: arith.xori
// CHECK: tensor.collapse_shape {{.*}} : tensor<32x2x128xi8> into tensor<64x128xi8>
// CHECK: linalg.generic
func.func @rows(%a: tensor<64x64xi8>, %b: tensor<32x128xi8>) -> tensor<64x128xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %four = arith.constant 4 : i8
  %zero = arith.constant 0 : i32
  %whole = tensor.empty() : tensor<64x128xi8>
  %w = scf.for %k = %c0 to %c64 step %c32 iter_args(%all = %whole) -> (tensor<64x128xi8>) {
    %first = arith.divui %k, %c2 : index
    %block = tensor.extract_slice %b[%first, 0] [16, 128] [1, 1] : tensor<32x128xi8> to tensor<16x128xi8>
    %none = tensor.empty() : tensor<16x128xi8>
    %low = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%block : tensor<16x128xi8>) outs(%none : tensor<16x128xi8>) {
    ^bb0(%x: i8, %old: i8):
      %0 = arith.shli %x, %four : i8
      %1 = arith.shrsi %0, %four : i8
      linalg.yield %1 : i8
    } -> tensor<16x128xi8>
    %high = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%block : tensor<16x128xi8>) outs(%none : tensor<16x128xi8>) {
    ^bb0(%x: i8, %old: i8):
      %0 = arith.shrsi %x, %four : i8
      linalg.yield %0 : i8
    } -> tensor<16x128xi8>
    %both = tensor.empty() : tensor<2x16x128xi8>
    %one = tensor.insert_slice %low into %both[0, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<16x128xi8> into tensor<2x16x128xi8>
    %two = tensor.insert_slice %high into %one[1, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<16x128xi8> into tensor<2x16x128xi8>
    %into = tensor.empty() : tensor<16x2x128xi8>
    %last = linalg.generic {indexing_maps = [#rows, #third], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%two : tensor<2x16x128xi8>) outs(%into : tensor<16x2x128xi8>) {
    ^bb0(%x: i8, %old: i8):
      linalg.yield %x : i8
    } -> tensor<16x2x128xi8>
    %rows = tensor.collapse_shape %last [[0, 1], [2]] : tensor<16x2x128xi8> into tensor<32x128xi8>
    %new = tensor.insert_slice %rows into %all[%k, 0] [32, 128] [1, 1] : tensor<32x128xi8> into tensor<64x128xi8>
    scf.yield %new : tensor<64x128xi8>
  }
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums : tensor<64x128xi32>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %1 = arith.extsi %x : i8 to i32
    %2 = arith.extsi %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %old, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// 3. Each byte is read twice, and shifted as the row's number says.
// CHECK-LABEL: func.func @repeated
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<32x128xi8>) outs(%{{.*}} : tensor<32x2x128xi8>)
// CHECK-NOT: arith.remui
// CHECK: arith.xori %{{.*}}, %c-120_i8
// CHECK: linalg.index 1
// CHECK: tensor.collapse_shape
func.func @repeated(%a: tensor<64x64xi8>, %b: tensor<32x128xi8>) -> tensor<64x128xi32> {
  %two = arith.constant 2 : index
  %four = arith.constant 4 : i32
  %mask = arith.constant 15 : i32
  %eight = arith.constant 8 : i32
  %zero = arith.constant 0 : i32
  %none = tensor.empty() : tensor<32x2x128xi8>
  %halves = linalg.generic {indexing_maps = [#repeated, #three], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<32x128xi8>) outs(%none : tensor<32x2x128xi8>) {
  ^bb0(%x: i8, %old: i8):
    %wide = arith.extsi %x : i8 to i32
    %i = linalg.index 0 : index
    %h = linalg.index 1 : index
    %0 = arith.muli %i, %two : index
    %1 = arith.addi %0, %h : index
    %2 = arith.remui %1, %two : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.muli %3, %four : i32
    %5 = arith.shrsi %wide, %4 : i32
    %6 = arith.andi %5, %mask : i32
    %7 = arith.subi %6, %eight : i32
    %8 = arith.trunci %7 : i32 to i8
    linalg.yield %8 : i8
  } -> tensor<32x2x128xi8>
  %w = tensor.collapse_shape %halves [[0, 1], [2]] : tensor<32x2x128xi8> into tensor<64x128xi8>
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums : tensor<64x128xi32>)
      -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}
