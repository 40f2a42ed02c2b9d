// Weights of 4 bits in words and in bytes, before conversions to f16 and truncations.
// RUN: hexmlir-opt %s --narrow-integers | filecheck %s
#map = affine_map<(d0, d1) -> (d0)>
#whole = affine_map<(d0, d1) -> (d0, d1)>

// 1. Words are shifted, their lower halves masked and converted.
// CHECK-LABEL: func.func @words
// CHECK: %[[SHIFTED:.*]] = arith.shrsi %{{.*}} : i32
// CHECK: %[[HALF:.*]] = arith.trunci %[[SHIFTED]] : i32 to i16
// CHECK: %[[NIBBLE:.*]] = arith.andi %[[HALF]], %c15_i16 : i16
// CHECK: arith.sitofp %[[NIBBLE]] : i16 to f16
func.func @words(%x: tensor<64xi32>, %y: tensor<64x8xf16>) -> tensor<64x8xf16> {
  %four = arith.constant 4 : i32
  %mask = arith.constant 15 : i32
  %0 = linalg.generic {indexing_maps = [#map, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64xi32>) outs(%y : tensor<64x8xf16>) {
  ^bb0(%in: i32, %out: f16):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %by = arith.muli %j, %four : i32
    %1 = arith.shrsi %in, %by : i32
    %2 = arith.andi %1, %mask : i32
    %3 = arith.uitofp %2 : i32 to f16
    linalg.yield %3 : f16
  } -> tensor<64x8xf16>
  return %0 : tensor<64x8xf16>
}

// 2. Bytes are shifted as halves of words: the index tells that the shift is shorter than these.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[BYTE:.*]] = arith.extsi %{{.*}} : i8 to i16
// CHECK: %[[INDEX:.*]] = arith.index_cast %{{.*}} : index to i16
// CHECK: %[[BY:.*]] = arith.muli %[[INDEX]], %c4_i16
// CHECK: %[[SHIFTED:.*]] = arith.shrsi %[[BYTE]], %[[BY]] : i16
// CHECK: %[[NIBBLE:.*]] = arith.andi %[[SHIFTED]], %c15_i16
// CHECK: %[[LESS:.*]] = arith.subi %[[NIBBLE]], %c8_i16
// CHECK: arith.sitofp %[[LESS]] : i16 to f16
func.func @bytes(%x: tensor<64xi8>, %y: tensor<64x2xf16>) -> tensor<64x2xf16> {
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i32
  %mask = arith.constant 15 : i32
  %0 = linalg.generic {indexing_maps = [#map, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64xi8>) outs(%y : tensor<64x2xf16>) {
  ^bb0(%in: i8, %out: f16):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %by = arith.muli %j, %four : i32
    %wide = arith.extsi %in : i8 to i32
    %1 = arith.shrsi %wide, %by : i32
    %2 = arith.andi %1, %mask : i32
    %3 = arith.subi %2, %eight : i32
    %4 = arith.sitofp %3 : i32 to f16
    linalg.yield %4 : f16
  } -> tensor<64x2xf16>
  return %0 : tensor<64x2xf16>
}

// 3. A truncation of a sum; the words that it adds are truncated instead.
// CHECK-LABEL: func.func @truncated
// CHECK-COUNT-2: arith.trunci %{{.*}} : i32 to i16
// CHECK: arith.addi %{{.*}} : i16
// CHECK: arith.trunci %{{.*}} : i16 to i8
func.func @truncated(%x: tensor<64xi32>, %y: tensor<64x2xi32>, %z: tensor<64x2xi8>) -> tensor<64x2xi8> {
  %0 = linalg.generic {indexing_maps = [#map, #whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64xi32>, tensor<64x2xi32>) outs(%z : tensor<64x2xi8>) {
  ^bb0(%a: i32, %b: i32, %out: i8):
    %1 = arith.addi %a, %b : i32
    %2 = arith.trunci %1 : i32 to i8
    linalg.yield %2 : i8
  } -> tensor<64x2xi8>
  return %0 : tensor<64x2xi8>
}

// 4. Nothing to narrow: a word that is only shifted, and conversions to f32.
// CHECK-LABEL: func.func @others
// CHECK: arith.shrsi %{{.*}} : i32
// CHECK-NEXT: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.sitofp %{{.*}} : i32 to f32
func.func @others(%x: tensor<64xi32>, %y: tensor<64x2xi8>, %z: tensor<64x2xf32>) -> (tensor<64x2xi8>, tensor<64x2xf32>) {
  %four = arith.constant 4 : i32
  %mask = arith.constant 15 : i32
  %0:2 = linalg.generic {indexing_maps = [#map, #whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64xi32>) outs(%y, %z : tensor<64x2xi8>, tensor<64x2xf32>) {
  ^bb0(%a: i32, %out: i8, %old: f32):
    %1 = arith.shrsi %a, %four : i32
    %2 = arith.trunci %1 : i32 to i8
    %3 = arith.andi %a, %mask : i32
    %4 = arith.sitofp %3 : i32 to f32
    linalg.yield %2, %4 : i8, f32
  } -> (tensor<64x2xi8>, tensor<64x2xf32>)
  return %0#0, %0#1 : tensor<64x2xi8>, tensor<64x2xf32>
}
