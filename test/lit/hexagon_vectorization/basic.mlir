// Loops over whole HVX vectors with a masked tail.
// RUN: hexmlir-opt %s --hexagon-vectorization --split-input-file | filecheck %s

// 1. 100 = 64 + 32 + 4: two vectors at once, one vector, and four lanes under a mask.
// CHECK-LABEL: func.func @ragged
// CHECK: %[[MASK:.*]] = arith.constant dense<[true, true, true, true, false,
// CHECK: vector.load %arg0[%c0] {alignment = 4 : i64} : memref<100xf32>, vector<64xf32>
// CHECK: vector.store %{{.*}}, %arg1[%c0] {alignment = 4 : i64} : memref<100xf32>, vector<64xf32>
// CHECK: vector.load %arg0[%c64] {alignment = 4 : i64} : memref<100xf32>, vector<32xf32>
// CHECK: %[[TAIL:.*]] = vector.maskedload %arg0[%c96], %[[MASK]], %{{.*}} {alignment = 4 : i64}
// CHECK: %[[SUM:.*]] = arith.addf %[[TAIL]], %[[TAIL]] : vector<32xf32>
// CHECK: vector.maskedstore %arg1[%c96], %[[MASK]], %[[SUM]]
// CHECK-NOT: linalg
func.func @ragged(%x: memref<100xf32>, %y: memref<100xf32>) {
  linalg.add ins(%x, %x : memref<100xf32>, memref<100xf32>) outs(%y : memref<100xf32>)
  return
}

// -----
// 2. The narrowest element sets the lanes: 128 bytes of i8 become four vectors of i32.
// CHECK-LABEL: func.func @mixed_widths
// CHECK: vector.load %arg0[%c0] {alignment = 1 : i64} : memref<128xi8>, vector<128xi8>
// CHECK: arith.extsi %{{.*}} : vector<128xi8> to vector<128xi32>
// CHECK: vector.store %{{.*}}, %arg1[%c0] {alignment = 4 : i64} : memref<128xi32>, vector<128xi32>
func.func @mixed_widths(%x: memref<128xi8>, %y: memref<128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%x : memref<128xi8>) outs(%y : memref<128xi32>) {
    ^bb0(%a: i8, %o: i32):
      %0 = arith.extsi %a : i8 to i32
      linalg.yield %0 : i32
  }
  return
}

// -----
// 3. A sum: masked-off lanes count as -0.0, then five rotations sum the lanes.
// CHECK-LABEL: func.func @sum
// CHECK: %[[NEUTRAL:.*]] = arith.constant dense<-0.000000e+00> : vector<32xf32>
// CHECK: %[[TAIL:.*]] = vector.maskedload
// CHECK: arith.select %{{.*}}, %[[TAIL]], %[[NEUTRAL]] : vector<32xi1>, vector<32xf32>
// CHECK: vector.shuffle %{{.*}} [16, 17,
// CHECK: vector.shuffle %{{.*}} [8, 9,
// CHECK: vector.shuffle %{{.*}} [4, 5,
// CHECK: vector.shuffle %{{.*}} [2, 3,
// CHECK: vector.shuffle %{{.*}} [1, 2,
// CHECK: %[[LANES:.*]] = vector.extract %{{.*}}[0] : f32 from vector<32xf32>
// CHECK: %[[OLD:.*]] = memref.load %arg1[] : memref<f32>
// CHECK: %[[NEW:.*]] = arith.addf %[[OLD]], %[[LANES]] : f32
// CHECK: memref.store %[[NEW]], %arg1[] : memref<f32>
func.func @sum(%x: memref<70xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : memref<70xf32>) outs(%s : memref<f32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  }
  return
}

// -----
// 4. A size known at run time: loops for whole vectors, and a mask that compares lane numbers with the remaining count.
// CHECK-LABEL: func.func @dynamic
// CHECK-DAG: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3,
// CHECK-DAG: %[[SIZE:.*]] = memref.dim %arg0, %c0 : memref<?xi16>
// CHECK: scf.for
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 2 : i64} : memref<?xi16>, vector<256xi16>
// CHECK: scf.for
// CHECK: vector.load %arg0[%{{.*}}] {alignment = 2 : i64} : memref<?xi16>, vector<64xi16>
// CHECK: %[[LEFT:.*]] = arith.subi %[[SIZE]], %{{.*}} : index
// CHECK: %[[LEFT16:.*]] = arith.index_cast %[[LEFT]] : index to i16
// CHECK: %[[BOUND:.*]] = vector.broadcast %[[LEFT16]] : i16 to vector<64xi16>
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, %[[BOUND]], %[[LANES]] : vector<64xi16>
// CHECK: vector.maskedload %arg0[%{{.*}}], %[[MASK]]
func.func @dynamic(%x: memref<?xi16>, %y: memref<?xi16>) {
  linalg.max ins(%x, %y : memref<?xi16>, memref<?xi16>) outs(%y : memref<?xi16>)
  return
}

// -----
// 5. A matrix product: the columns are the lanes, four rows share each vector of B, sums stay in registers.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK: %[[SUMS:.*]]:4 = scf.for %[[K:.*]] = %c0 to %c16 step %c1 iter_args({{.*}}) -> (vector<64xf32>, vector<64xf32>, vector<64xf32>, vector<64xf32>)
// CHECK-COUNT-1: vector.load %arg1[%[[K]], %c0] {{.*}} : memref<16x64xf32>, vector<64xf32>
// CHECK-NOT: vector.load
// CHECK: scf.yield
// CHECK-COUNT-4: vector.store %[[SUMS]]
func.func @matmul(%a: memref<8x16xf32>, %b: memref<16x64xf32>, %c: memref<8x64xf32>) {
  linalg.matmul ins(%a, %b : memref<8x16xf32>, memref<16x64xf32>) outs(%c : memref<8x64xf32>)
  return
}

// -----
// 6. Loop indices: the vectorized one counts lanes, the outer one is uniform; loops are not collapsed.
// CHECK-LABEL: func.func @indices
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4 step %c1
// CHECK: %[[STEP:.*]] = vector.step : vector<64xindex>
// CHECK: %[[ROWS:.*]] = vector.broadcast %[[ROW]] : index to vector<64xindex>
// CHECK: arith.addi %[[STEP]], %[[ROWS]] : vector<64xindex>
func.func @indices(%y: memref<4x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    outs(%y : memref<4x64xi32>) {
    ^bb0(%o: i32):
      %i = linalg.index 1 : index
      %j = linalg.index 0 : index
      %k = arith.addi %i, %j : index
      %c = arith.index_cast %k : index to i32
      linalg.yield %c : i32
  }
  return
}

// -----
// 7. Contiguous rows are one long loop: 3 x 33 elements are 3 vectors and 3 lanes.
// CHECK-LABEL: func.func @flattened
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0, 1]] : memref<3x33xf32> into memref<99xf32>
// CHECK: vector.maskedload %{{.*}}[%c96]
func.func @flattened(%x: memref<3x33xf32>, %y: memref<3x33xf32>) {
  linalg.mul ins(%x, %x : memref<3x33xf32>, memref<3x33xf32>) outs(%y : memref<3x33xf32>)
  return
}

// -----
// 8. An allocated buffer is aligned to a vector, and so are its accesses.
// CHECK-LABEL: func.func @aligned
// CHECK: vector.store %{{.*}}, %alloc[%c0] {alignment = 128 : i64}
func.func @aligned(%x: memref<32xf32>) -> memref<32xf32> {
  %a = memref.alloc() : memref<32xf32>
  linalg.add ins(%x, %x : memref<32xf32>, memref<32xf32>) outs(%a : memref<32xf32>)
  return %a : memref<32xf32>
}

// -----
// 9. An operand of unknown size has the static size of another operand.
// CHECK-LABEL: func.func @half_dynamic
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0, 1]] : memref<?x16xf32> into memref<?xf32>
// CHECK: vector.load %{{.*}}[%c0] {{.*}} : memref<?xf32>, vector<128xf32>
// CHECK-NOT: maskedload
func.func @half_dynamic(%x: memref<?x16xf32>, %y: memref<8x16xf32>) {
  linalg.add ins(%x, %y : memref<?x16xf32>, memref<8x16xf32>) outs(%y : memref<8x16xf32>)
  return
}

// -----
// 10. Adjacent loops are collapsed where every operand allows it: 7 x 7 elements are one vector, and 17 lanes.
// CHECK-LABEL: func.func @maps
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0], [1, 2]] : memref<8x7x7xf32> into memref<8x49xf32>
// CHECK: scf.for %[[MAP:.*]] = %c0 to %c8 step %c1
// CHECK: memref.load %arg1[%[[MAP]]]
// CHECK: vector.maskedload %{{.*}}[%[[MAP]], %c32]
func.func @maps(%x: memref<8x7x7xf32>, %b: memref<8xf32>, %y: memref<8x7x7xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>,
                                   affine_map<(d0, d1, d2) -> (d0, d1, d2)>],
                  iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : memref<8x7x7xf32>, memref<8xf32>) outs(%y : memref<8x7x7xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
  }
  return
}

// -----
// 11. A transpose: 32 rows are loaded, exchanged in five steps, and stored as 32 columns.
// CHECK-LABEL: func.func @transpose
// CHECK-COUNT-32: vector.load %arg0[{{.*}}] {{.*}} : memref<64x32xf32>, vector<32xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 32, 2, 34, 4, 36,
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [1, 33, 3, 35, 5, 37,
// CHECK-COUNT-31: vector.store %{{.*}}, %arg1[{{.*}}] {{.*}} : memref<32x64xf32>, vector<32xf32>
// CHECK-NOT: linalg
func.func @transpose(%x: memref<64x32xf32>, %y: memref<32x64xf32>) {
  linalg.transpose ins(%x : memref<64x32xf32>) outs(%y : memref<32x64xf32>) permutation = [1, 0]
  return
}

// -----
// 12. 128 rows of bytes exceed the registers: groups of 32 rows are stored to a buffer.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<128x128xi8>
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-COUNT-32: vector.load %arg0
// CHECK-COUNT-32: vector.store %{{.*}}, %[[BUFFER]]
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c1
// CHECK-COUNT-4: vector.load %[[BUFFER]]
// CHECK-COUNT-4: vector.store %{{.*}}, %arg1
// CHECK: memref.dealloc %[[BUFFER]]
func.func @bytes(%x: memref<128x128xi8>, %y: memref<128x128xi8>) {
  linalg.transpose ins(%x : memref<128x128xi8>) outs(%y : memref<128x128xi8>) permutation = [1, 0]
  return
}

// -----
// 13. A square of vectors in TCM: adjacent rows exchange lanes and are stored to the output, then rows 8 apart do.
// CHECK-LABEL: func.func @square
// CHECK-NOT: memref.alloc
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-COUNT-16: vector.load %arg0
// CHECK-COUNT-16: vector.store %{{.*}}, %arg1
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1
// CHECK-COUNT-16: vector.load %arg1
// CHECK-COUNT-16: vector.store %{{.*}}, %arg1
// CHECK-NOT: vector.load
func.func @square(%x: memref<64x64xf16, 1> {llvm.noalias}, %y: memref<64x64xf16, 1> {llvm.noalias}) {
  linalg.transpose ins(%x : memref<64x64xf16, 1>) outs(%y : memref<64x64xf16, 1>) permutation = [1, 0]
  return
}

// -----
// 14. Where the output may alias another input, the square is stored to a buffer.
// CHECK-LABEL: func.func @added_square
// CHECK: memref.alloc() : memref<64x64xi16>
func.func @added_square(%x: memref<64x64xi16, 1>, %y: memref<64x64xi16, 1>, %z: memref<64x64xi16, 1>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>,
                                   affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : memref<64x64xi16, 1>, memref<64x64xi16, 1>) outs(%z : memref<64x64xi16, 1>) {
    ^bb0(%a: i16, %b: i16, %o: i16):
      %0 = arith.addi %a, %b : i16
      linalg.yield %0 : i16
  }
  return
}

// -----
// 15. Rows of three: three vectors of 32 rows are deinterleaved into three columns and summed in order, for any body.
// CHECK-LABEL: func.func @short_rows
// CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [3, 190], strides: [1, 1]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1
// CHECK-COUNT-3: vector.load %[[ROWS]][%c0, %{{.*}}]
// CHECK-COUNT-9: vector.shuffle
// CHECK: %[[OLD:.*]] = vector.load %arg1
// CHECK: arith.subf %[[OLD]], %{{.*}} : vector<32xf32>
// CHECK: arith.subf
// CHECK: arith.subf
// CHECK-NOT: arith.subf
// CHECK: vector.store %{{.*}}, %arg1
func.func @short_rows(%x: memref<64x3xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<64x3xf32>) outs(%y : memref<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.subf %o, %a : f32
      linalg.yield %0 : f32
  }
  return
}

// -----
// 14. A loop without iterations: the sum is unchanged.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: return
func.func @empty(%x: memref<0xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
    ins(%x : memref<0xf32>) outs(%s : memref<f32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %o, %a : f32
      linalg.yield %0 : f32
  }
  return
}

// -----
// 15. A part of an aligned buffer that starts at a multiple of whole vectors is aligned as well; one that starts 4 bytes
// off, or at an unknown offset, is not.
// CHECK-LABEL: func.func @parts
// CHECK: vector.load %{{.*}} {alignment = 128 : i64}
// CHECK: vector.store %{{.*}} {alignment = 128 : i64}
// CHECK: vector.load %{{.*}} {alignment = 4 : i64}
// CHECK: vector.store %{{.*}} {alignment = 4 : i64}
func.func @parts(%x0: memref<4096xf32>, %y0: memref<65x64xf32>, %n: index) {
  %x = memref.assume_alignment %x0, 2048 : memref<4096xf32>
  %y = memref.assume_alignment %y0, 128 : memref<65x64xf32>
  scf.forall (%i) = (0) to (4096) step (1024) {
    %u = memref.subview %x[%i] [32] [1] : memref<4096xf32> to memref<32xf32, strided<[1], offset: ?>>
    %v = memref.subview %y[%n, 32] [1, 32] [1, 1] : memref<65x64xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.exp ins(%u : memref<32xf32, strided<[1], offset: ?>>) outs(%v : memref<32xf32, strided<[1], offset: ?>>)
    %p = memref.subview %x[1] [32] [1] : memref<4096xf32> to memref<32xf32, strided<[1], offset: 1>>
    %q = memref.subview %x[%n] [32] [1] : memref<4096xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.exp ins(%p : memref<32xf32, strided<[1], offset: 1>>) outs(%q : memref<32xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----
// 16. A table of 20 elements is loaded once; every vector of indices is looked up in it, by the low byte.
// CHECK-LABEL: func.func @table
// CHECK: vector.maskedload %arg0
// CHECK: arith.bitcast {{.*}} : vector<32xf32> to vector<32xi32>
// CHECK: scf.for
// CHECK: arith.trunci {{.*}} : vector<256xi32> to vector<256xi8>
// CHECK-NEXT: "hexagon.look_up"({{.*}}) {count = 20 : i64} : (vector<32xi32>, vector<256xi8>) -> vector<256xi32>
// CHECK: "hexagon.look_up"({{.*}}) {count = 20 : i64} : (vector<32xi32>, vector<128xi8>) -> vector<128xi32>
func.func @table(%t: memref<20xf32>, %i: memref<1025xi32>, %y: memref<1025xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%i : memref<1025xi32>) outs(%y : memref<1025xf32>) {
    ^bb0(%a: i32, %o: f32):
      %k = arith.index_cast %a : i32 to index
      %v = memref.load %t[%k] : memref<20xf32>
      linalg.yield %v : f32
  }
  return
}

// -----
// 17. A condition on indices, whatever they are computed in, compares lane numbers of the selected elements' size with
// one bound; a condition of the row moves the bound.
// CHECK-LABEL: func.func @causal
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: vector.broadcast {{.*}} : i16 to vector<64xi16>
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, {{.*}} : vector<64xi16>
// CHECK-NEXT: arith.select %[[MASK]], {{.*}} : vector<64xi1>, vector<64xf16>
func.func @causal(%x: memref<8x64xf16>, %n: memref<8xi32>, %y: memref<8x64xf16>, %first: index) {
  %z = arith.constant 0.0 : f16
  %c = arith.constant 0 : i32
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                   affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %n : memref<8x64xf16>, memref<8xi32>) outs(%y : memref<8x64xf16>) {
    ^bb0(%a: f16, %b: i32, %o: f16):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%first)[%i]
      %p = arith.cmpi sge, %k, %j : index
      %q = arith.cmpi sgt, %b, %c : i32
      %r = arith.andi %p, %q : i1
      %v = arith.select %r, %a, %z : f16
      linalg.yield %v : f16
  }
  return
}

// -----
// 18. Rows of three elements and a bias: one loop over all of them, whose three vectors of biases are made before it.
// CHECK-LABEL: func.func @bias
// CHECK: "hexagon.look_up"({{.*}}) {count = 3 : i64} : {{.*}} -> vector<128xi32>
// CHECK: vector.shuffle
// CHECK: scf.for
// CHECK-COUNT-3: vector.store {{.*}} : memref<303xf32>, vector<32xf32>
// CHECK: }
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: scf.for
func.func @bias(%x: memref<101x3xf32>, %b: memref<3xf32>, %y: memref<101x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                                   affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
    ins(%x, %b : memref<101x3xf32>, memref<3xf32>) outs(%y : memref<101x3xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %v = arith.addf %a, %c : f32
      linalg.yield %v : f32
  }
  return
}

// -----
// 19. Stride -3: three contiguous vectors, blends, one permutation.
// CHECK-LABEL: func.func @every_third
// CHECK: memref.reinterpret_cast %arg0 to offset: [0], sizes: [190], strides: [1]
// CHECK: vector.load %{{.*}}[%c0]
// CHECK: vector.load %{{.*}}[%c32]
// CHECK: vector.load %{{.*}}[%c62]
// CHECK-COUNT-4: vector.shuffle
// CHECK: vector.shuffle %{{.*}} [31, 30, 29,
// CHECK: vector.load %{{.*}}[%c96]
// CHECK: vector.store %{{.*}}, %arg1[%{{.*}}]
func.func @every_third(%x: memref<192xf32>, %y: memref<64xf32>) {
  %v = memref.reinterpret_cast %x to offset: [189], sizes: [64], strides: [-3]
    : memref<192xf32> to memref<64xf32, strided<[-3], offset: 189>>
  linalg.copy ins(%v : memref<64xf32, strided<[-3], offset: 189>>) outs(%y : memref<64xf32>)
  return
}

// -----
// 20. Stores to every second element do not write the others.
// CHECK-LABEL: func.func @between
// CHECK: vector.load %arg0
// CHECK-NOT: vector.store
// CHECK: vector.maskedstore
func.func @between(%x: memref<64xi16>, %y: memref<128xi16>) {
  %v = memref.subview %y[1] [64] [2] : memref<128xi16> to memref<64xi16, strided<[2], offset: 1>>
  linalg.copy ins(%x : memref<64xi16>) outs(%v : memref<64xi16, strided<[2], offset: 1>>)
  return
}

// -----
// 21. The maximum of a row: accumulated as integers in the floats' order, NaN least; converted back at the end.
// CHECK-LABEL: func.func @largest
// CHECK-DAG: %[[FRACTION:.*]] = arith.constant dense<8388607> : vector<32xi32>
// CHECK-DAG: %[[SIZE:.*]] = arith.constant dense<2147483647> : vector<32xi32>
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : vector<32xf32> to vector<32xi32>
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[BITS]]
// CHECK: %[[INVERTED:.*]] = arith.andi %[[SIGN]], %[[SIZE]]
// CHECK: %[[ORDERED:.*]] = arith.xori %[[BITS]], %[[INVERTED]]
// CHECK: %[[KEY:.*]] = arith.addi %[[ORDERED]], %[[FRACTION]]
// CHECK: arith.maxsi %{{.*}}, %[[KEY]]
// CHECK-NOT: arith.maxnumf {{.*}}vector
// CHECK: arith.subi %{{.*}}, %[[FRACTION]]
// CHECK: arith.bitcast %{{.*}} : vector<32xi32> to vector<32xf32>
func.func @largest(%x: memref<96xf32>, %y: memref<f32>) {
  linalg.reduce ins(%x : memref<96xf32>) outs(%y : memref<f32>) dimensions = [0]
    (%a: f32, %o: f32) { %v = arith.maxnumf %a, %o : f32  linalg.yield %v : f32 }
  return
}

// -----
// 22. A dynamic size that is a multiple of whole vectors: two at a time, and no tail.
// CHECK-LABEL: func.func @whole_vectors
// CHECK: %[[TRIPS:.*]] = arith.divui %{{.*}}, %c64
// CHECK: scf.for %{{.*}} = %c0 to %[[TRIPS]]
// CHECK: vector.load {{.*}} vector<64xf32>
// CHECK-NOT: scf.for
// CHECK-NOT: vector.maskedload
// CHECK: return
func.func @whole_vectors(%x: memref<256xf32>, %y: memref<256xf32>, %all: i1) {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %n = arith.select %all, %c256, %c64 : index
  %a = memref.subview %x[0] [%n] [1] : memref<256xf32> to memref<?xf32, strided<[1]>>
  %b = memref.subview %y[0] [%n] [1] : memref<256xf32> to memref<?xf32, strided<[1]>>
  linalg.add ins(%a, %a : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>) outs(%b : memref<?xf32, strided<[1]>>)
  return
}

// -----

// Rows of negative stride from a pointer: the view begins before it.
// CHECK-LABEL: func.func @before_the_pointer(
// CHECK: %[[FIRST:.*]] = arith.constant -12 : index
// CHECK: memref.reinterpret_cast %arg0 to offset: [%[[FIRST]]], sizes: [4, 13], strides: [16, 1]
func.func @before_the_pointer(%x: memref<1xf32>, %y: memref<4x4xf32>) {
  %rows = memref.reinterpret_cast %x to offset: [0], sizes: [4, 4], strides: [-4, 16]
      : memref<1xf32> to memref<4x4xf32, strided<[-4, 16]>>
  linalg.copy ins(%rows : memref<4x4xf32, strided<[-4, 16]>>) outs(%y : memref<4x4xf32>)
  return
}
