// RUN: hexmlir-opt %s --form-engine-products | filecheck %s
// Sums of bytes that become bytes: the engine converts them by the tables that the conversion reads.

// CHECK-LABEL: func.func @bytes
// CHECK-NOT: linalg
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %arg2, %arg3) : (memref<1x3x64x32xi8, 1>, memref<2x3x8x32x4xi8, 1>, memref<2x2x32xi32, 1>, memref<1x2x64x32xi8, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_wait"()
// CHECK-NOT: linalg
func.func @bytes(%a: memref<1x3x64x32xi8, 1>, %w: memref<2x3x8x32x4xi8, 1>, %t: memref<2x2x32xi32, 1>,
    %out: memref<1x2x64x32xi8, 1>) {
  %zero = arith.constant 0 : i32
  %sums = memref.alloc() : memref<1x2x64x32xi32, 1>
  linalg.fill ins(%zero : i32) outs(%sums : memref<1x2x64x32xi32, 1>)
  linalg.generic {indexing_maps = [affine_map<(rt, ct, r, c, kt, k, l) -> (rt, kt, r, k * 4 + l)>,
      affine_map<(rt, ct, r, c, kt, k, l) -> (ct, kt, k, c, l)>, affine_map<(rt, ct, r, c, kt, k, l) -> (rt, ct, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %w : memref<1x3x64x32xi8, 1>, memref<2x3x8x32x4xi8, 1>) outs(%sums : memref<1x2x64x32xi32, 1>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %old, %2 : i32
    linalg.yield %3 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(rt, ct, r, c) -> (rt, ct, r, c)>, affine_map<(rt, ct, r, c) -> (ct, 0, c)>,
      affine_map<(rt, ct, r, c) -> (ct, 1, c)>, affine_map<(rt, ct, r, c) -> (rt, ct, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums, %t, %t : memref<1x2x64x32xi32, 1>, memref<2x2x32xi32, 1>, memref<2x2x32xi32, 1>)
      outs(%out : memref<1x2x64x32xi8, 1>) {
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
    linalg.yield %r : i8
  }
  memref.dealloc %sums : memref<1x2x64x32xi32, 1>
  return
}
