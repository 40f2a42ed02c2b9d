// Results that stay in TCM until they are copied.
// RUN: hexmlir-opt %s --hexagon-cached-results --split-input-file | filecheck %s
// CHECK-NOT: arith.select

// 1. A few vectors.
func.func @short(%x: memref<64xf32, 1>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32, 1>) outs(%a : memref<64xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  memref.copy %a, %y : memref<64xf32, 1> to memref<64xf32>
  return
}

// -----
// 2. More than a quarter of the cache.
func.func @long(%x: memref<131072xf32, 1>, %y: memref<131072xf32>) {
  %a = memref.alloc() : memref<131072xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<131072xf32, 1>) outs(%a : memref<131072xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  memref.copy %a, %y : memref<131072xf32, 1> to memref<131072xf32>
  return
}

// -----
// 3. Work follows, which a transfer could run beside.
func.func @followed(%x: memref<4096xf32, 1>, %y: memref<4096xf32>, %z: memref<4096xf32, 1>) {
  %a = memref.alloc() : memref<4096xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4096xf32, 1>) outs(%a : memref<4096xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  memref.copy %a, %y : memref<4096xf32, 1> to memref<4096xf32>
  linalg.exp ins(%x : memref<4096xf32, 1>) outs(%z : memref<4096xf32, 1>)
  return
}

// -----
// 4. A sum reads what it adds to.
func.func @sums(%x: memref<4096x2xf32, 1>, %y: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : memref<4096x2xf32, 1>) outs(%a : memref<4096xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      %s = arith.addf %e, %old : f32
      linalg.yield %s : f32
  }
  memref.copy %a, %y : memref<4096xf32, 1> to memref<4096xf32>
  return
}

// -----
// 5. Rows that end within a line.
!rows = memref<128x40xf32, strided<[48, 1]>, 1>
func.func @ragged(%x: memref<128x40xf32, 1>, %y: memref<128x48xf32>) {
  %a = memref.alloc() : memref<128x48xf32, 1>
  %s = memref.subview %a[0, 0] [128, 40] [1, 1] : memref<128x48xf32, 1> to !rows
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<128x40xf32, 1>) outs(%s : !rows) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  memref.copy %a, %y : memref<128x48xf32, 1> to memref<128x48xf32>
  return
}

// -----
// 6. The caller's memory is read meanwhile.
func.func @changed(%x: memref<4096xf32, 1>, %y: memref<4096xf32>, %z: memref<4096xf32, 1>) {
  %a = memref.alloc() : memref<4096xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4096xf32, 1>) outs(%a : memref<4096xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  linalg.exp ins(%y : memref<4096xf32>) outs(%z : memref<4096xf32, 1>)
  memref.copy %a, %y : memref<4096xf32, 1> to memref<4096xf32>
  return
}

// -----
// 7. Two results from one buffer, and one that is read.
func.func @twice(%x: memref<4096xf32, 1>, %y: memref<4096xf32>, %z: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4096xf32, 1>) outs(%a : memref<4096xf32, 1>) {
    ^bb0(%e: f32, %old: f32):
      linalg.yield %e : f32
  }
  memref.copy %a, %y : memref<4096xf32, 1> to memref<4096xf32>
  memref.copy %a, %z : memref<4096xf32, 1> to memref<4096xf32>
  return
}

// -----
// 8. Elements of a table: HVX gathers into TCM only.
func.func @looked_up(%table: memref<1024xf32, 1>, %x: memref<4096xi32, 1>, %y: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32, 1>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<4096xi32, 1>) outs(%a : memref<4096xf32, 1>) {
    ^bb0(%e: i32, %old: f32):
      %at = arith.index_cast %e : i32 to index
      %v = memref.load %table[%at] : memref<1024xf32, 1>
      linalg.yield %v : f32
  }
  memref.copy %a, %y : memref<4096xf32, 1> to memref<4096xf32>
  return
}
