// Gathers that become scalar loops.
// RUN: hexmlir-opt %s --hexagon-gather-lowering --remarks --split-input-file 2>&1 | filecheck %s
// CHECK-DAG: remark: hexagon-gather-lowering: no gather: the table is not in TCM
// CHECK-DAG: remark: hexagon-gather-lowering: no gather: the result is not in TCM
// CHECK-DAG: remark: hexagon-gather-lowering: no gather: rows that do not start at a whole vector

// 1. A table in DDR.
// CHECK-LABEL: func.func @table
// CHECK: linalg.generic
#map = affine_map<(d0) -> (d0)>
func.func @table(%i: memref<32xi32>, %t: memref<64xf32>) {
  %o = memref.alloc() : memref<32xf32, 1>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : memref<32xi32>) outs(%o : memref<32xf32, 1>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = memref.load %t[%1] : memref<64xf32>
    linalg.yield %2 : f32
  }
  return
}

// -----
// 2. A result in DDR.
#map = affine_map<(d0) -> (d0)>
func.func @result(%i: memref<32xi32>, %o: memref<32xf32>) {
  %t = memref.alloc() : memref<64xf32, 1>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : memref<32xi32>) outs(%o : memref<32xf32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = memref.load %t[%1] : memref<64xf32, 1>
    linalg.yield %2 : f32
  }
  return
}

// -----
// 3. Words at a stride.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%i: memref<2x33xi32>) {
  %t = memref.alloc() : memref<64xf32, 1>
  %all = memref.alloc() : memref<2x66xf32, 1>
  %o = memref.subview %all[0, 0] [2, 33] [1, 1] : memref<2x66xf32, 1> to memref<2x33xf32, strided<[66, 1]>, 1>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<2x33xi32>) outs(%o : memref<2x33xf32, strided<[66, 1]>, 1>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = memref.load %t[%1] : memref<64xf32, 1>
    linalg.yield %2 : f32
  }
  return
}
