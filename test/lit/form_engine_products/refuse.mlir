// Products of tiles that stay linalg.
// RUN: hexmlir-opt %s --form-engine-products --split-input-file --verify-diagnostics --remarks | filecheck %s

// 1. The sums start from something.
// CHECK-LABEL: func.func @started
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @started(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  // expected-remark@+1 {{form-engine-products: left to HVX: its sums do not start from zero, or are not rounded next}}
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
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 2. They start from another number.
// CHECK-LABEL: func.func @ones
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @ones(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%one : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its sums do not start from zero, or are not rounded next}}
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
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 3. They are not rounded.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @exact(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>, %all: memref<1x1x16x32x2xf32, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its sums do not start from zero, or are not rounded next}}
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  memref.copy %sums, %all : memref<1x1x16x32x2xf32, 1> to memref<1x1x16x32x2xf32, 1>
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 4. They are rounded, and read once more.
// CHECK-LABEL: func.func @twice
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @twice(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>, %all: memref<1x1x16x32x2xf32, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its sums are also used by other operations}}
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
  memref.copy %sums, %all : memref<1x1x16x32x2xf32, 1> to memref<1x1x16x32x2xf32, 1>
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 5. A factor in DDR.
// CHECK-LABEL: func.func @ddr
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @ddr(%a: memref<1x1x16x32x2xf16>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its tiles are not contiguous in TCM}}
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
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
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 6. Results that are not contiguous.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @strided(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, strided<[4096, 2048, 128, 4, 2]>, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its tiles are not contiguous in TCM}}
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
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x16x32x2xf16, strided<[4096, 2048, 128, 4, 2]>, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 7. Sums that the caller sees.
// CHECK-LABEL: func.func @argument
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @argument(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>, %sums: memref<1x1x16x32x2xf32, 1>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its sums are not in a buffer of their own}}
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
  return
}

// -----
// 8. The old results, and the weights, are used between product and rounding.
// CHECK-LABEL: func.func @between
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @between(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: its tiles are used before its sums are rounded}}
  linalg.generic {indexing_maps = [#act, #weight, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>) outs(%sums : memref<1x1x16x32x2xf32, 1>) {
    ^bb0(%x: f16, %y: f16, %old: f32):
      %0 = arith.extf %x : f16 to f32
      %1 = arith.extf %y : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %old, %2 : f32
      linalg.yield %3 : f32
  }
  memref.copy %out, %w : memref<1x1x16x32x2xf16, 1> to memref<1x1x16x32x2xf16, 1>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x1x16x32x2xf32, 1>) outs(%out : memref<1x1x16x32x2xf16, 1>) {
    ^bb0(%x: f32, %old: f16):
      %0 = arith.truncf %x : f32 to f16
      linalg.yield %0 : f16
  }
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  return
}

// -----
// 9. Several blocks: nowhere to free the tables.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: hexagon.engine
#act = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, kt, r, k * 2 + l, p)>
#weight = affine_map<(rt, ct, r, c, p, kt, k, l) -> (ct, kt, k, c, l)>
#result = affine_map<(rt, ct, r, c, p, kt, k, l) -> (rt, ct, r, c, p)>
#same = affine_map<(rt, ct, r, c, p) -> (rt, ct, r, c, p)>
func.func @blocks(%a: memref<1x1x16x32x2xf16, 1>, %w: memref<1x1x16x32x2xf16, 1>, %out: memref<1x1x16x32x2xf16, 1>) {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<1x1x16x32x2xf32, 1>
  linalg.fill ins(%zero : f32) outs(%sums : memref<1x1x16x32x2xf32, 1>)
  // expected-remark@+1 {{form-engine-products: left to HVX: the function has branches between blocks}}
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
  memref.dealloc %sums : memref<1x1x16x32x2xf32, 1>
  cf.br ^bb1
^bb1:
  return
}
