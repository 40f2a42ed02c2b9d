// Ops that stay loops over 64-bit integers.
// RUN: hexmlir-opt %s --hexagon-wide-integers --remarks 2>&1 | filecheck %s

// CHECK: remark: hexagon-wide-integers: 64-bit integers stay: 'arith.fptosi' has no form in words
// CHECK: remark: hexagon-wide-integers: 64-bit integers stay: 2 operations for a result of two words
// CHECK: remark: hexagon-wide-integers: 64-bit integers stay: a reduction to them other than a sum
// CHECK: remark: hexagon-wide-integers: 64-bit integers stay: 'arith.shrsi' has no form in words
// CHECK: remark: hexagon-wide-integers: 64-bit integers stay: 'scf.if' has no form in words
// CHECK-NOT: unrealized_conversion_cast
#map = affine_map<(d0) -> (d0)>
func.func @of_floats(%x: memref<64xf32>, %y: memref<64xi8>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%y : memref<64xi8>) {
  ^bb0(%a: f32, %out: i8):
    %0 = arith.fptosi %a : f32 to i64
    %1 = arith.trunci %0 : i64 to i8
    linalg.yield %1 : i8
  }
  return
}

func.func @little(%x: memref<64xi64>, %y: memref<64xi64>) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xi64>) outs(%y : memref<64xi64>) {
  ^bb0(%a: i64, %out: i64):
    %0 = arith.addi %a, %out : i64
    linalg.yield %0 : i64
  }
  return
}

func.func @largest(%x: memref<64xi64>, %y: memref<i64>) {
  linalg.generic {indexing_maps = [#map, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<64xi64>) outs(%y : memref<i64>) {
  ^bb0(%a: i64, %out: i64):
    %0 = arith.maxsi %a, %out : i64
    linalg.yield %0 : i64
  }
  return
}

func.func @shifted(%x: memref<64xi64>, %y: memref<64xi8>, %n: i64) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xi64>) outs(%y : memref<64xi8>) {
  ^bb0(%a: i64, %out: i8):
    %0 = arith.shrsi %a, %n : i64
    %1 = arith.trunci %0 : i64 to i8
    linalg.yield %1 : i8
  }
  return
}

func.func @in_a_branch(%x: memref<64xi64>, %y: memref<64xi32>, %some: i1) {
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<64xi64>) outs(%y : memref<64xi32>) {
  ^bb0(%a: i64, %out: i32):
    %0 = scf.if %some -> (i32) {
      %1 = arith.trunci %a : i64 to i32
      scf.yield %1 : i32
    } else {
      scf.yield %out : i32
    }
    linalg.yield %0 : i32
  }
  return
}
