// RUN: hexmlir-opt %s --form-engine-products | filecheck %s
// RUN: hexmlir-opt %s --form-engine-products --lower-engine-products --lower-engine-tiles | filecheck %s --check-prefix=CALL
// RUN: sed 's/arith.shrsi %up/arith.shrui %up/' %s | hexmlir-opt - --form-engine-products | filecheck %s --check-prefix=OTHER
// Weights of 4 bits, two in a byte: the operand that only has an element for each of them goes. Nibbles without sign are
// no such product.

// CHECK-LABEL: func.func @nibbles
// CHECK-NOT: linalg.generic
// CHECK: "hexagon.engine_product"(%arg0, %arg1, %{{.*}}, %arg2) : (memref<1x3x64x32xi8, 1>, memref<2x3x4x32x4xi8, 1>, memref<4x2x32xi32, 1>, memref<1x2x4x64x32xi8, 1>) -> ()
// CHECK-NEXT: "hexagon.engine_wait"()
// CHECK-NOT: memref<2xi8>
// CALL: call @hexmlir_engine_ub_n_planes(
// OTHER-NOT: hexagon.engine_product
func.func @nibbles(%a: memref<1x3x64x32xi8, 1>, %w: memref<2x3x4x32x4xi8, 1>, %out: memref<1x2x4x64x32xi8, 1>) {
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i8
  %eight = arith.constant 8 : i32
  %both = memref.alloc() : memref<2xi8>
  %sums = memref.alloc() : memref<1x2x64x32xi32, 1>
  linalg.fill ins(%zero : i32) outs(%sums : memref<1x2x64x32xi32, 1>)
  linalg.generic {indexing_maps = [affine_map<(rt, ct, r, c, kt, k, h, l) -> (rt, kt, r, k * 8 + h * 4 + l)>,
      affine_map<(rt, ct, r, c, kt, k, h, l) -> (ct, kt, k, c, l)>, affine_map<(rt, ct, r, c, kt, k, h, l) -> (h)>,
      affine_map<(rt, ct, r, c, kt, k, h, l) -> (rt, ct, r, c)>], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "reduction", "reduction", "reduction", "reduction"]}
      ins(%a, %w, %both : memref<1x3x64x32xi8, 1>, memref<2x3x4x32x4xi8, 1>, memref<2xi8>)
      outs(%sums : memref<1x2x64x32xi32, 1>) {
  ^bb0(%x: i8, %y: i8, %unread: i8, %old: i32):
    %h = linalg.index 6 : index
    %number = arith.index_cast %h : index to i8
    %below = arith.muli %number, %four : i8
    %dropped = arith.subi %four, %below : i8
    %up = arith.shli %y, %dropped : i8
    %nibble = arith.shrsi %up, %four : i8
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %nibble : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %old, %2 : i32
    linalg.yield %3 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(rt, ct, p, r, c) -> (rt, ct, r, c)>,
      affine_map<(rt, ct, p, r, c) -> (rt, ct, p, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : memref<1x2x64x32xi32, 1>) outs(%out : memref<1x2x4x64x32xi8, 1>) {
  ^bb0(%x: i32, %old: i8):
    %p = linalg.index 2 : index
    %0 = arith.index_cast %p : index to i32
    %1 = arith.muli %0, %eight : i32
    %2 = arith.shrui %x, %1 : i32
    %3 = arith.trunci %2 : i32 to i8
    linalg.yield %3 : i8
  }
  memref.dealloc %both : memref<2xi8>
  memref.dealloc %sums : memref<1x2x64x32xi32, 1>
  return
}
