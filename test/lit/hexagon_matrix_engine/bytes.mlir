// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true | filecheck %s
// Sums that become bytes as the engine converts them: no planes. The tables have the words in their first row and the
// biases, with what the sums start from, in the second. What else the op does to the bytes follows on rows of them.

// CHECK-LABEL: func.func @bytes
// CHECK-NOT: linalg.index
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [4, 1, 32] [1, 1, 1] : tensor<4x1x32xi32> into tensor<4x2x32xi32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [4, 1, 32] [1, 1, 1] : tensor<4x1x32xi32> into tensor<4x2x32xi32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[T:.*]], %[[T]] : tensor<1x4x64x32xi32>, tensor<4x2x32xi32>, tensor<4x2x32xi32>) outs(%{{.*}} : tensor<1x4x64x32xi8>)
// CHECK: arith.trunci
// CHECK: outs(%{{.*}} : tensor<1x64x4x32xi8>)
// CHECK: linalg.generic
// CHECK: arith.xori %{{.*}}, %c-128_i8
// CHECK-NOT: linalg.index
func.func @bytes(%a: tensor<64x128xi8>, %b: tensor<128x128xi8>, %start: tensor<128xi32>, %words: tensor<128xi32>,
    %biases: tensor<128xi32>) -> tensor<64x128xi8> {
  %sign = arith.constant -128 : i8
  %e = tensor.empty() : tensor<64x128xi32>
  %i = linalg.broadcast ins(%start : tensor<128xi32>) outs(%e : tensor<64x128xi32>) dimensions = [0]
  %0 = linalg.matmul ins(%a, %b : tensor<64x128xi8>, tensor<128x128xi8>) outs(%i : tensor<64x128xi32>) -> tensor<64x128xi32>
  %f = tensor.empty() : tensor<64x128xi8>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
      affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %words, %biases : tensor<64x128xi32>, tensor<128xi32>, tensor<128xi32>) outs(%f : tensor<64x128xi8>) {
  ^bb0(%x: i32, %word: i32, %bias: i32, %old: i8):
    %biased = arith.addi %x, %bias : i32
    %number10 = arith.constant 10 : i32
    %upper = arith.shrui %word, %number10 : i32
    %number31 = arith.constant 31 : i32
    %exponent = arith.andi %upper, %number31 : i32
    %number20 = arith.constant 20 : i32
    %shift = arith.subi %number20, %exponent : i32
    %kept = arith.shrsi %biased, %shift : i32
    %least = arith.constant -131072 : i32
    %above_least = arith.maxsi %kept, %least : i32
    %most = arith.constant 131071 : i32
    %within = arith.minsi %above_least, %most : i32
    %number1 = arith.constant 1 : i32
    %doubled = arith.shli %within, %number1 : i32
    %value = arith.ori %doubled, %number1 : i32
    %number1023 = arith.constant 1023 : i32
    %stored = arith.andi %word, %number1023 : i32
    %above = arith.shli %stored, %number1 : i32
    %number2048 = arith.constant 2048 : i32
    %leading = arith.ori %above, %number2048 : i32
    %last = arith.shrui %word, %number31 : i32
    %scale = arith.ori %leading, %last : i32
    %product = arith.muli %value, %scale : i32
    %number16 = arith.constant 16 : i32
    %number = arith.shrsi %product, %number16 : i32
    %number0 = arith.constant 0 : i32
    %positive = arith.maxsi %number, %number0 : i32
    %number255 = arith.constant 255 : i32
    %limited = arith.minsi %positive, %number255 : i32
    %r = arith.trunci %limited : i32 to i8
    %flipped = arith.xori %r, %sign : i8
    linalg.yield %flipped : i8
  } -> tensor<64x128xi8>
  return %1 : tensor<64x128xi8>
}
