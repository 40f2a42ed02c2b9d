// Elementwise chains become one op: into elementwise consumers, reductions and broadcasts.
// RUN: hexmlir-opt %s --hexagon-fusion --split-input-file | filecheck %s

// 1. Arithmetic on whole tensors, whose destinations are its own operands, is one op; exp is computed once.
// CHECK-LABEL: func.func @arith_chain
// CHECK: %[[NEW:.*]] = tensor.empty() : tensor<64xf32>
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<64xf32>, tensor<64xf32>) outs(%[[NEW]]
// CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: %[[EXP:.*]] = math.exp %[[PRODUCT]] : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[EXP]], %[[X]] : f32
// CHECK-NEXT: linalg.yield %[[SUM]] : f32
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @arith_chain(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = arith.mulf %x, %y : tensor<64xf32>
  %1 = math.exp %0 : tensor<64xf32>
  %2 = arith.addf %1, %x : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----
// 2. A product is computed inside the sum of its row, and its equal operands are read once.
// CHECK-LABEL: func.func @into_reduction
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<8x64xf32>) outs(%arg1
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[IN]], %[[IN]] : f32
// CHECK-NEXT: arith.addf %[[SQUARE]], %[[OUT]] : f32
// CHECK-NOT: linalg.generic
func.func @into_reduction(%x: tensor<8x64xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %0 = linalg.mul ins(%x, %x : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  %1 = linalg.reduce ins(%0 : tensor<8x64xf32>) outs(%s : tensor<8xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %a = arith.addf %in, %out : f32
      linalg.yield %a : f32
    }
  return %1 : tensor<8xf32>
}

// -----
// 3. A broadcast of a row's sum is read, not stored: its consumer indexes the sum by the row alone.
// CHECK: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]]
// CHECK: arith.divf
// CHECK-NOT: linalg.generic
func.func @broadcast(%x: tensor<8x64xf32>, %s: tensor<8xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<8x64xf32>) dimensions = [1]
  %1 = linalg.div ins(%x, %b : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %1 : tensor<8x64xf32>
}

// -----
// 4. Cheap work is recomputed for a second reader rather than stored.
// CHECK-LABEL: func.func @cheap_twice
// CHECK-COUNT-2: arith.addf
// CHECK-NOT: arith.addf
func.func @cheap_twice(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.add ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.mul ins(%0, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.sub ins(%0, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----
// 5. A loop index survives two transposes: dimension 1 again.
// CHECK-LABEL: func.func @index_through_transposes
// CHECK: linalg.index 1 : index
// CHECK-NOT: linalg.generic
func.func @index_through_transposes(%y: tensor<8x64xi32>) -> tensor<8x64xi32> {
  %e = tensor.empty() : tensor<8x64xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
     outs(%e : tensor<8x64xi32>) {
    ^bb0(%o: i32):
      %i = linalg.index 1 : index
      %c = arith.index_cast %i : index to i32
      linalg.yield %c : i32
  } -> tensor<8x64xi32>
  %t = tensor.empty() : tensor<64x8xi32>
  %p = linalg.transpose ins(%0 : tensor<8x64xi32>) outs(%t : tensor<64x8xi32>) permutation = [1, 0]
  %q = linalg.transpose ins(%p : tensor<64x8xi32>) outs(%e : tensor<8x64xi32>) permutation = [1, 0]
  %1 = linalg.add ins(%q, %y : tensor<8x64xi32>, tensor<8x64xi32>) outs(%e : tensor<8x64xi32>) -> tensor<8x64xi32>
  return %1 : tensor<8x64xi32>
}

// -----
// 6. Dynamic sizes: the new destination has the size of the input.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0, %{{.*}} : tensor<?xf32>
// CHECK: tensor.empty(%[[SIZE]]) : tensor<?xf32>
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.mulf %x, %x : tensor<?xf32>
  %1 = arith.addf %0, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----
// A splat constant becomes a scalar in the bodies of its consumers; another constant stays a tensor.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[HALF:.*]] = arith.constant -5.000000e-01 : f32
// CHECK-DAG: %[[TABLE:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK: linalg.generic {{.*}} ins(%[[TABLE]], %arg0 : tensor<3xf32>, tensor<3xf32>)
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %[[HALF]] : f32
// CHECK: arith.addf %[[PRODUCT]], %{{.*}} : f32
func.func @constants(%x: tensor<3xf32>) -> tensor<3xf32> {
  %half = arith.constant dense<-0.5> : tensor<3xf32>
  %table = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = arith.mulf %x, %half : tensor<3xf32>
  %1 = arith.addf %0, %table : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----
// A window that fits once: its loop is folded, and the elements after it are cut off.
// CHECK-LABEL: func.func @one_window
// CHECK: %[[READ:.*]] = tensor.extract_slice %{{.*}}[0, 0, 0] [1, 3, {{.*}}] [1, 1, 1] : tensor<1x4x{{.*}}> to tensor<3x
// CHECK: linalg.generic {{.*}} ins(%[[READ]], %arg1 : tensor<3x{{.*}}>, tensor<3x{{.*}}>)
func.func @one_window(%x: tensor<1x4x8xf32>, %w: tensor<3x8x5xf32>, %y: tensor<1x1x5xf32>) -> tensor<1x1x5xf32> {
  %0 = linalg.conv_1d_nwc_wcf {strides = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<1x4x8xf32>, tensor<3x8x5xf32>) outs(%y : tensor<1x1x5xf32>) -> tensor<1x1x5xf32>
  return %0 : tensor<1x1x5xf32>
}

// -----
// 7. The centred elements that the sum of squares and the scaled result both need are kept where rows are whole vectors.
// CHECK-LABEL: func.func @centred
// CHECK: %[[KEPT:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<8x64xf32>, tensor<8xf32>)
// CHECK: arith.subf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[KEPT]] : tensor<8x64xf32>)
// CHECK-NOT: arith.subf
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[KEPT]], %{{.*}} : tensor<8x64xf32>, tensor<8xf32>)
// CHECK-NOT: arith.subf
// CHECK: return
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @centred(%x: tensor<8x64xf32>, %mean: tensor<8xf32>, %zeros: tensor<8xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %squares = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<8x64xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %squares, %mean : tensor<8x64xf32>, tensor<8xf32>, tensor<8xf32>) outs(%y : tensor<8x64xf32>) {
  ^bb0(%a: f32, %q: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.rsqrt %q : f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// 8. They are not kept in unaligned rows, nor are products, which cost no more than a load.
// CHECK-LABEL: func.func @ragged
// CHECK-COUNT-2: arith.subf
func.func @ragged(%x: tensor<8x65xf32>, %mean: tensor<8xf32>, %zeros: tensor<8xf32>, %y: tensor<8x65xf32>) -> (tensor<8xf32>, tensor<8x65xf32>) {
  %squares = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<8x65xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = arith.maxnumf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<8x65xf32>, tensor<8xf32>) outs(%y : tensor<8x65xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    linalg.yield %0 : f32
  } -> tensor<8x65xf32>
  return %squares, %r : tensor<8xf32>, tensor<8x65xf32>
}

// CHECK-LABEL: func.func @products
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
func.func @products(%x: tensor<8x64xf32>, %zeros: tensor<8xf32>, %y: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8x64xf32>) {
  %squares = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%y : tensor<8x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %squares, %r : tensor<8xf32>, tensor<8x64xf32>
}

// -----
// 9. A branch in a merged body reads the merged body's arguments; the narrow result is not one of them.
// CHECK-LABEL: func.func @branches
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i16):
// CHECK: scf.if
// CHECK: arith.divsi %[[A]], %[[B]] : i32
// CHECK: arith.trunci {{.*}} : i32 to i16
// CHECK-NOT: linalg.generic
#each = affine_map<(d0) -> (d0)>
func.func @branches(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi16> {
  %e = tensor.empty() : tensor<64xi32>
  %h = tensor.empty() : tensor<64xi16>
  %0 = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<64xi32>, tensor<64xi32>) outs(%e : tensor<64xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %1 = arith.cmpi slt, %a, %b : i32
    %2 = scf.if %1 -> i32 {
      %3 = arith.divsi %a, %b : i32
      scf.yield %3 : i32
    } else {
      scf.yield %a : i32
    }
    linalg.yield %2 : i32
  } -> tensor<64xi32>
  %4 = arith.trunci %0 : tensor<64xi32> to tensor<64xi16>
  return %4 : tensor<64xi16>
}

// -----
// 10. What is added to a product of f16 is computed once, after it: not in the sums of rows and in the result, too.
// CHECK-LABEL: func.func @residual
// CHECK: %[[SUMS:.*]] = linalg.generic {{.*}}"reduction"]} ins(%arg0, %arg1
// CHECK: %[[ADDED:.*]] = linalg.generic {{.*}} ins(%arg2, %[[SUMS]] :
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[ADDED]] :
// CHECK: linalg.generic {{.*}} ins(%[[ADDED]], %[[ROWS]] :
// CHECK-NOT: linalg.generic
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @residual(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %n = tensor.empty() : tensor<32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%n : tensor<32xf32>) -> tensor<32xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>) outs(%start : tensor<32x64xf32>)
      -> tensor<32x64xf32>
  %added = linalg.add ins(%c, %sums : tensor<32x64xf32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>)
      -> tensor<32x64xf32>
  %rows = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%added : tensor<32x64xf32>) outs(%none : tensor<32xf32>) {
  ^bb0(%x: f32, %o: f32):
    %0 = arith.addf %x, %o : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%added, %rows : tensor<32x64xf32>, tensor<32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.subf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// -----
// 11. Elementwise consumers end in one op, which computes what is added, too.
// CHECK-LABEL: func.func @squared
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
func.func @squared(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>) outs(%start : tensor<32x64xf32>)
      -> tensor<32x64xf32>
  %added = linalg.add ins(%c, %sums : tensor<32x64xf32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>)
      -> tensor<32x64xf32>
  %half = linalg.exp ins(%added : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = linalg.mul ins(%half, %added : tensor<32x64xf32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>)
      -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// -----
// 12. A batch of transposed factors: the product reads them where they are, though two dimensions become one between.
// CHECK: #[[LEFT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK: #[[RIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: func.func @batch_of_transposed_factors
// CHECK: %[[FACTOR:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1], [2], [3]] : tensor<2x3x5x8xf32> into tensor<6x5x8xf32>
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], {{.*}} ins(%arg0, %[[FACTOR]] :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @batch_of_transposed_factors(%a: tensor<6x4x8xf32>, %b: tensor<2x3x5x8xf32>, %s: tensor<6x4x5xf32>) -> tensor<6x4x5xf32> {
  %e = tensor.empty() : tensor<2x3x8x5xf32>
  %t = linalg.transpose ins(%b : tensor<2x3x5x8xf32>) outs(%e : tensor<2x3x8x5xf32>) permutation = [0, 1, 3, 2]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x3x8x5xf32> into tensor<6x8x5xf32>
  %0 = linalg.batch_matmul ins(%a, %c : tensor<6x4x8xf32>, tensor<6x8x5xf32>) outs(%s : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  return %0 : tensor<6x4x5xf32>
}

// -----
// 13. Dimensions that become one are not side by side in the operand: the transpose stays.
// CHECK-LABEL: func.func @dimensions_apart
// CHECK: %[[COPY:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<2x5x3x8xf32>)
// CHECK: %[[FACTOR:.*]] = tensor.collapse_shape %[[COPY]]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[FACTOR]] :
func.func @dimensions_apart(%a: tensor<6x4x8xf32>, %b: tensor<2x5x3x8xf32>, %s: tensor<6x4x5xf32>) -> tensor<6x4x5xf32> {
  %e = tensor.empty() : tensor<2x3x8x5xf32>
  %t = linalg.transpose ins(%b : tensor<2x5x3x8xf32>) outs(%e : tensor<2x3x8x5xf32>) permutation = [0, 2, 3, 1]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x3x8x5xf32> into tensor<6x8x5xf32>
  %0 = linalg.batch_matmul ins(%a, %c : tensor<6x4x8xf32>, tensor<6x8x5xf32>) outs(%s : tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
  return %0 : tensor<6x4x5xf32>
}

// -----
// 14. A product's left factor stays the left one.
// CHECK: #[[LEFT:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK: #[[RIGHT:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @left_factor
// CHECK: linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], {{.*}} ins(%arg0, %arg1 :
func.func @left_factor(%a: tensor<8x4xf32>, %b: tensor<8x5xf32>, %s: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%a : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %0 = linalg.matmul ins(%t, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%s : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
