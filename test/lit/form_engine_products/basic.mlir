// A product of tiles, the fill that starts its sums and the op that rounds them become one operation of the engine.
// RUN: hexmlir-opt %s --form-engine-products --split-input-file | filecheck %s

// 1. Two products share the engine, the table and the buffer of their sums, which goes.
// CHECK-LABEL: func.func @two
// CHECK: %[[TABLE:.*]] = memref.alloc() : memref<1x2x32xi32, 1>
// CHECK: %[[LOW:.*]] = memref.subview %[[TABLE]][0, 0, 0] [1, 1, 32] [1, 1, 1]
// CHECK: linalg.fill ins(%c15360_i32 : i32) outs(%[[LOW]]
// CHECK: %[[HIGH:.*]] = memref.subview %[[TABLE]][0, 1, 0] [1, 1, 32] [1, 1, 1]
// CHECK: linalg.fill ins(%c0_i32 : i32) outs(%[[HIGH]]
// CHECK-NOT: xf32, 1>
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %[[TABLE]], %arg2)
// CHECK: "hexagon.engine_wait"() : () -> ()
// CHECK-NEXT: "hexagon.engine_product"(%arg2, %arg1, %[[TABLE]], %arg0)
// CHECK: "hexagon.engine_wait"() : () -> ()
// CHECK: memref.dealloc %[[TABLE]]
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @two(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%out, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%a : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 2. In a loop: the tables are written once.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: "hexagon.engine_product"
// CHECK: "hexagon.engine_wait"
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @loop(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>, %first: index, %last: index, %one: index) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  scf.for %i = %first to %last step %one {
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 3. Without products the engine is not touched.
// CHECK-LABEL: func.func @none
// CHECK-NEXT: return
func.func @none() {
  return
}

// -----
// 4. Independent products: the second one is handed over while the first one runs, and is not waited for where only the
// first one's results are read. A third one waits for the first.
// CHECK-LABEL: func.func @queued
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %{{.*}}, %arg2)
// CHECK-NEXT: "hexagon.engine_product"(%arg0, %arg1, %{{.*}}, %arg3)
// CHECK-NEXT: "hexagon.engine_wait"() {pending = 1 : i64} : () -> ()
// CHECK-NEXT: memref.copy %arg2
// CHECK-NEXT: memref.copy %arg0
// CHECK-NEXT: "hexagon.engine_product"(%arg0, %arg1, %{{.*}}, %arg2)
// CHECK-NEXT: "hexagon.engine_wait"() {pending = 1 : i64} : () -> ()
// CHECK-NEXT: "hexagon.engine_product"(%arg0, %arg1, %{{.*}}, %arg4)
// CHECK-NEXT: "hexagon.engine_wait"() : () -> ()
// CHECK-NEXT: memref.copy %arg4, %arg0
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
!tile = memref<1x1x16x32x2xf16, 1>
func.func @queued(%a: !tile, %w: !tile, %o: !tile, %p: !tile, %q: !tile, %y: memref<1x1x16x32x2xf16>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : !tile, !tile) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %z: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %z : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%o : !tile) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : !tile, !tile) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %z: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %z : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%p : !tile) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  memref.copy %o, %y : !tile to memref<1x1x16x32x2xf16>
  memref.copy %a, %y : !tile to memref<1x1x16x32x2xf16>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : !tile, !tile) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %z: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %z : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%o : !tile) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : !tile, !tile) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %z: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %z : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%q : !tile) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  memref.copy %q, %a : !tile to !tile
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 5. Sums in two pieces: a table of their own, with a diagonal of -256 (0xDC00) in both halves of its words, and
// scales of 2**-8 (0x1C00) and 2**3 (0x4800). A product whose sums are rounded keeps the other table.
// CHECK-LABEL: func.func @pieces
// CHECK-DAG: %[[PIECES:.*]] = memref.alloc() : memref<640xi32, 1>
// CHECK-DAG: %[[TABLE:.*]] = memref.alloc() : memref<1x2x32xi32, 1>
// CHECK-DAG: %[[ALL:.*]] = memref.subview %[[PIECES]][0] [640] [1]
// CHECK-DAG: linalg.fill ins(%c0_i32{{.*}} : i32) outs(%[[ALL]]
// CHECK-DAG: %[[EVEN:.*]] = memref.subview %[[PIECES]][0] [16] [34]
// CHECK-DAG: linalg.fill ins(%c56320_i32 : i32) outs(%[[EVEN]]
// CHECK-DAG: %[[ODD:.*]] = memref.subview %[[PIECES]][1] [16] [34]
// CHECK-DAG: linalg.fill ins(%c-603979776_i32 : i32) outs(%[[ODD]]
// CHECK-DAG: %[[FIRST:.*]] = memref.subview %[[PIECES]][512] [32] [1]
// CHECK-DAG: linalg.fill ins(%c7168_i32 : i32) outs(%[[FIRST]]
// CHECK-DAG: %[[SECOND:.*]] = memref.subview %[[PIECES]][576] [32] [1]
// CHECK-DAG: linalg.fill ins(%c18432_i32 : i32) outs(%[[SECOND]]
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %[[PIECES]], %arg2)
// CHECK-NOT: linalg.index
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %[[TABLE]], %arg3)
// CHECK-NOT: memref<1x1x16x32x2xf32, 1>
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
#sums = affine_map<(rt, ct, piece, r, c, p) -> (rt, ct, r, c, p)>
#pieces = affine_map<(rt, ct, piece, r, c, p) -> (rt, ct, piece, r, c, p)>
func.func @pieces(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x2x16x32x2xf16, 1>,
    %halves: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %coarse = arith.constant 256.0 : f32
  %of_coarse = arith.constant 0.00390625 : f32
  %of_fine = arith.constant 8.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#sums, #pieces], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x2x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.mulf %x, %of_coarse : f32
      %first = arith.truncf %0 : f32 to f16
      %1 = arith.extf %first : f16 to f32
      %2 = arith.mulf %1, %coarse : f32
      %rest = arith.subf %x, %2 : f32
      %3 = arith.mulf %rest, %of_fine : f32
      %second = arith.truncf %3 : f32 to f16
      %piece = linalg.index 2 : index
      %4 = arith.cmpi eq, %piece, %c0 : index
      %5 = arith.select %4, %first, %second : f16
      linalg.yield %5 : f16
  }
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%halves : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// A bias for each column and a maximum with zero are in the table: the bits of the bias as those of an f16 number with
// five more places, and the flag of the maximum.
// CHECK-LABEL: func.func @bias
// CHECK: %[[TABLE:.*]] = memref.alloc() : memref<1x2x32xi32, 1>
// CHECK: linalg.fill ins(%c15360_i32 : i32)
// CHECK: %[[HIGH:.*]] = memref.subview %[[TABLE]][0, 1, 0] [1, 1, 32] [1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%arg2 : memref<1x32xf32, 1>) outs(%[[HIGH]]
// CHECK: arith.bitcast
// CHECK: arith.ori %{{.*}}, %c512_i32
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %[[TABLE]], %arg3)
// CHECK: "hexagon.engine_wait"
// CHECK: memref.dealloc %[[TABLE]]
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
!tile = memref<1x1x16x32x2xf16, 1>
#column = affine_map<(rt, ct, r, c, p) -> (ct, c)>
func.func @bias(%a: !tile, %w: !tile, %bias: memref<1x32xf32, 1>, %o: !tile) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : !tile, !tile) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %z: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %z : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #column, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %bias : memref<1x1x16x32x2xf32, 1>, memref<1x32xf32, 1>) outs(%o : !tile) {
    ^bb0(%x: f32, %b: f32, %old: f16):
      %0 = arith.addf %x, %b : f32
      %1 = arith.maximumf %0, %zero : f32
      %2 = arith.truncf %1 : f32 to f16
      linalg.yield %2 : f16
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// So is a power of two: the bits of 2^-14 as f16.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[TABLE:.*]] = memref.alloc() : memref<1x2x32xi32, 1>
// CHECK: linalg.fill ins(%c1024_i32 : i32)
// CHECK: %[[HIGH:.*]] = memref.subview %[[TABLE]][0, 1, 0] [1, 1, 32] [1, 1, 1]
// CHECK: linalg.generic {{.*}} ins(%arg2 : memref<1x32xf32, 1>) outs(%[[HIGH]]
// CHECK: arith.bitcast
// CHECK: arith.ori %{{.*}}, %c512_i32
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %[[TABLE]], %arg3)
// CHECK: "hexagon.engine_wait"
// CHECK: memref.dealloc %[[TABLE]]
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
!tile = memref<1x1x16x32x2xf16, 1>
#column = affine_map<(rt, ct, r, c, p) -> (ct, c)>
func.func @scaled(%a: !tile, %w: !tile, %bias: memref<1x32xf32, 1>, %o: !tile) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 6.103515625e-05 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : !tile, !tile) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %z: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %z : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #column, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %bias : memref<1x1x16x32x2xf32, 1>, memref<1x32xf32, 1>) outs(%o : !tile) {
    ^bb0(%x: f32, %b: f32, %old: f16):
      %0 = arith.addf %x, %b : f32
      %1 = arith.maximumf %0, %zero : f32
      %scaled = arith.mulf %1, %scale : f32
      %2 = arith.truncf %scaled : f32 to f16
      linalg.yield %2 : f16
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// Windows of a convolution that share activations stay what they are.
// CHECK-LABEL: func.func @windows
// CHECK: "hexagon.engine_product"(%{{.*}}) {hexagon.windows = array<i64: 2, 1, 1, 1, 3>} : (memref<4x4x2x16x32x2xf16, 1>, memref<1x18x16x32x2xf16, 1>, memref<1x2x32xi32, 1>, memref<4x1x16x32x2xf16, 1>) -> ()
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt floordiv 2 + kt floordiv 6, rt mod 2 + (kt floordiv 2) mod 3, kt mod 2, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @windows(%a: memref<4x4x2x16x32x2xf16, 1>, %w: memref<1x18x16x32x2xf16, 1>, %out: memref<4x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<4x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<4x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<4x4x2x16x32x2xf16, 1>, memref<1x18x16x32x2xf16, 1>) outs(%sums : memref<4x1x16x32x2xf32, 1>)
      attrs = {hexagon.windows = array<i64: 2, 1, 1, 1, 3>} {
  ^bb0(%x: f16, %y: f16, %old: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %old, %2 : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel",
      "parallel"]} ins(%sums : memref<4x1x16x32x2xf32, 1>) outs(%out : memref<4x1x16x32x2xf16, 1>) {
  ^bb0(%x: f32, %old: f16):
    %0 = arith.truncf %x : f32 to f16
    linalg.yield %0 : f16
  }
  memref.dealloc %sums : memref<4x1x16x32x2xf32, 1>
  return
}

// -----
// 6. A fill of 8 KiB takes less time than a task: the wait is before it, and the product is none; a larger one runs
// meanwhile.
// CHECK-LABEL: func.func @small
// CHECK: "hexagon.engine_product"
// CHECK-NEXT: "hexagon.engine_wait"() : () -> ()
// CHECK: linalg.fill {{.*}} outs(%arg3
// CHECK-LABEL: func.func @large
// CHECK: "hexagon.engine_product"
// CHECK-NEXT: linalg.fill {{.*}} outs(%arg3
// CHECK-NEXT: "hexagon.engine_wait"() : () -> ()
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @small(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>,
    %most: memref<4096xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  linalg.fill ins(%half : f16) outs(%most : memref<4096xf16, 1>)
  linalg.fill ins(%half : f16) outs(%out : memref<1x1x16x32x2xf16, 1>)
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

func.func @large(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>,
    %most: memref<4160xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : f16
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  linalg.fill ins(%half : f16) outs(%most : memref<4160xf16, 1>)
  linalg.fill ins(%half : f16) outs(%out : memref<1x1x16x32x2xf16, 1>)
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}
