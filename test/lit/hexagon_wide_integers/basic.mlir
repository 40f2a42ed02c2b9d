// 64-bit integers as two words each.
// RUN: hexmlir-opt %s --hexagon-wide-integers --split-input-file | filecheck %s

// 1. A buffer of them is two of every other word; both halves of a row's label are compared, once a row.
// CHECK-LABEL: func.func @labels
// CHECK: %[[BASE:base_buffer]], {{.*}} = memref.extract_strided_metadata %arg1
// CHECK: %[[WORDS:.*]] = builtin.unrealized_conversion_cast %[[BASE]] : memref<i64> to memref<i32>
// CHECK: %[[LOW:.*]] = memref.reinterpret_cast %[[WORDS]] to offset: [10], sizes: [4], strides: [2]
// CHECK: %[[HIGH:.*]] = memref.reinterpret_cast %[[WORDS]] to offset: [11], sizes: [4], strides: [2]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[LOW]], %[[HIGH]] : memref<4x64xf32>, memref<4xi32, strided<[2], offset: 10>>
// CHECK-NOT: i64
// CHECK: linalg.yield
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @labels(%x: memref<4x64xf32>, %labels: memref<4xi64, strided<[1], offset: 5>>, %y: memref<4x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %labels : memref<4x64xf32>, memref<4xi64, strided<[1], offset: 5>>) outs(%y : memref<4x64xf32>) {
  ^bb0(%in: f32, %label: i64, %out: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %p = arith.cmpi eq, %j, %label : i64
    %v = arith.select %p, %in, %zero : f32
    linalg.yield %v : f32
  }
  return
}

// -----
// 2. Values that fit a word are compared without the upper word.
// CHECK-LABEL: func.func @small
// CHECK: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i8):
// CHECK-NEXT: arith.cmpi ult, %[[A]], %[[B]] : i32
// CHECK-NEXT: arith.extui
// CHECK-NEXT: linalg.yield
#one = affine_map<(d0) -> (d0)>
func.func @small(%x: memref<64xi32>, %z: memref<64xi32>, %y: memref<64xi8>) {
  linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%x, %z : memref<64xi32>, memref<64xi32>) outs(%y : memref<64xi8>) {
  ^bb0(%a: i32, %b: i32, %out: i8):
    %0 = arith.extsi %a : i32 to i64
    %1 = arith.extsi %b : i32 to i64
    %2 = arith.cmpi ult, %0, %1 : i64
    %3 = arith.extui %2 : i1 to i8
    linalg.yield %3 : i8
  }
  return
}

// -----
// 3. Dynamic sizes and strides are read from the buffer; the resulting code is vectorized.
// CHECK-LABEL: func.func @dynamic
// CHECK: %base_buffer, %[[OFFSET:offset]], %[[SIZES:sizes]]:2, %[[STRIDES:strides]]:2 = memref.extract_strided_metadata %arg0
// CHECK: %[[STEP:.*]] = arith.muli %[[STRIDES]]#0
// CHECK: %[[AT:.*]] = arith.muli %[[OFFSET]]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[AT]]], sizes: [%[[SIZES]]#0, 64], strides: [%[[STEP]], 2]
#two = affine_map<(d0, d1) -> (d0, d1)>
func.func @dynamic(%x: memref<?x64xi64, strided<[?, 1], offset: ?>>, %y: memref<?x64xi8>) {
  %c = arith.constant 5 : i64
  linalg.generic {indexing_maps = [#two, #two], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x64xi64, strided<[?, 1], offset: ?>>) outs(%y : memref<?x64xi8>) {
  ^bb0(%a: i64, %out: i8):
    %0 = arith.cmpi slt, %a, %c : i64
    %1 = arith.extui %0 : i1 to i8
    linalg.yield %1 : i8
  }
  return
}

// -----
// 4. A branch in the body reads a value made from the words.
// CHECK-LABEL: func.func @branch
// CHECK: ^bb0(%[[LOW:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32):
// CHECK: %[[SMALL:.*]] = arith.andi
// CHECK: scf.if %[[SMALL]] -> (i32) {
// CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[LOW]], %[[LOW]] : i32
// CHECK-NEXT: scf.yield %[[TWICE]] : i32
#three = affine_map<(d0) -> (d0)>
func.func @branch(%x: memref<64xi64>, %y: memref<64xi32>) {
  %c = arith.constant 5 : i64
  linalg.generic {indexing_maps = [#three, #three], iterator_types = ["parallel"]}
      ins(%x : memref<64xi64>) outs(%y : memref<64xi32>) {
  ^bb0(%a: i64, %out: i32):
    %0 = arith.cmpi eq, %a, %c : i64
    %1 = arith.trunci %a : i64 to i32
    %2 = scf.if %0 -> (i32) {
      %3 = arith.addi %1, %1 : i32
      scf.yield %3 : i32
    } else {
      scf.yield %1 : i32
    }
    linalg.yield %2 : i32
  }
  return
}
