// Numbers that 16 bits may not hold, and a shift by more than 16 bits, which reads the upper half of the word.
// RUN: hexmlir-opt %s --narrow-integers --remarks 2>&1 | filecheck %s
#map = affine_map<(d0) -> (d0)>

// CHECK: remark: narrow-integers: the number may need more than 16 bits
// CHECK-NOT: remark
// CHECK-LABEL: func.func @large
// CHECK-NOT: remark
// CHECK: arith.andi %{{.*}}, %c32768_i32 : i32
// CHECK: arith.sitofp %{{.*}} : i32 to f16
func.func @large(%x: tensor<64xi32>, %y: tensor<64xf16>) -> tensor<64xf16> {
  %mask = arith.constant 32768 : i32
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<64xi32>) outs(%y : tensor<64xf16>) {
  ^bb0(%in: i32, %out: f16):
    %1 = arith.andi %in, %mask : i32
    %2 = arith.sitofp %1 : i32 to f16
    linalg.yield %2 : f16
  } -> tensor<64xf16>
  return %0 : tensor<64xf16>
}

// CHECK-LABEL: func.func @far
// CHECK-NOT: remark
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.shrui %{{.*}}, %c20_i32 : i32
// CHECK-NEXT: arith.trunci %{{.*}} : i32 to i16
func.func @far(%x: tensor<64xi8>, %y: tensor<64xi16>) -> tensor<64xi16> {
  %twenty = arith.constant 20 : i32
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<64xi8>) outs(%y : tensor<64xi16>) {
  ^bb0(%in: i8, %out: i16):
    %wide = arith.extsi %in : i8 to i32
    %1 = arith.shrui %wide, %twenty : i32
    %2 = arith.trunci %1 : i32 to i16
    linalg.yield %2 : i16
  } -> tensor<64xi16>
  return %0 : tensor<64xi16>
}
