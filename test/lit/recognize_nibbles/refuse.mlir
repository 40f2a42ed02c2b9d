// Halves of two tensors, and halves in the other order: their unpacking stays. Other factors are none of its business.
// RUN: hexmlir-opt %s --recognize-nibbles --remarks 2>&1 | filecheck %s

// CHECK: remark: recognize-nibbles: the unpacking of its weights stays: its halves are of different tensors
// CHECK: remark: recognize-nibbles: the unpacking of its weights stays: it has no halves of bytes, the lower one first
// CHECK: remark: recognize-nibbles: the unpacking of its weights stays: its bytes are unpacked in different ways
// CHECK-NOT: remark
#same = affine_map<(i, j) -> (i, j)>
#stacked = affine_map<(i, j, h) -> (h, i, j)>
#third = affine_map<(i, j, h) -> (i, j, h)>
#repeated = affine_map<(i, h, j) -> (i, j)>
#three = affine_map<(i, h, j) -> (i, h, j)>

// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: tensor.insert_slice
func.func @two(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>, %c: tensor<64x64xi8>) -> tensor<64x128xi32> {
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
      ins(%c : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
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

// CHECK-LABEL: func.func @swapped
// CHECK-COUNT-2: tensor.insert_slice
func.func @swapped(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) -> tensor<64x128xi32> {
  %four = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  %eight = arith.constant 8 : i8
  %zero = arith.constant 0 : i32
  %none = tensor.empty() : tensor<64x64xi8>
  %low = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.shrui %x, %four : i8
    %1 = arith.subi %0, %eight : i8
    linalg.yield %1 : i8
  } -> tensor<64x64xi8>
  %high = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.andi %x, %mask : i8
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

// CHECK-LABEL: func.func @loaded
// CHECK-NOT: remark
func.func @loaded(%a: tensor<64x64xi8>, %w: tensor<64x128xi8>) -> tensor<64x128xi32> {
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums : tensor<64x128xi32>)
      -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// CHECK-LABEL: func.func @by_rows
// CHECK: linalg.index 0
func.func @by_rows(%a: tensor<64x64xi8>, %b: tensor<32x128xi8>) -> tensor<64x128xi32> {
  %four = arith.constant 4 : i8
  %zero = arith.constant 0 : i32
  %none = tensor.empty() : tensor<32x2x128xi8>
  %halves = linalg.generic {indexing_maps = [#repeated, #three], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%b : tensor<32x128xi8>) outs(%none : tensor<32x2x128xi8>) {
  ^bb0(%x: i8, %old: i8):
    %i = linalg.index 0 : index
    %0 = arith.index_cast %i : index to i8
    %1 = arith.andi %0, %four : i8
    %2 = arith.shli %x, %1 : i8
    %3 = arith.shrsi %2, %four : i8
    linalg.yield %3 : i8
  } -> tensor<32x2x128xi8>
  %w = tensor.collapse_shape %halves [[0, 1], [2]] : tensor<32x2x128xi8> into tensor<64x128xi8>
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums : tensor<64x128xi32>)
      -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}
