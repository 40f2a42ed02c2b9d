// A function becomes calls of kernels: contractions start one, later ops join it, views stay outside.
// RUN: hexmlir-opt %s --form-kernels --split-input-file | filecheck %s

// 1. The bias and the activation run in the kernel of the product that makes their operand; the second product, which
//    needs both, starts its own. Fills and empty tensors are cloned into each kernel that needs them.
// CHECK-LABEL: func.func private @two_layers_0_matmul
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x16xf32>, %[[B:.*]]: tensor<16xf32>) -> tensor<4x16xf32>
// CHECK: tensor.empty
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: linalg.broadcast
// CHECK: linalg.add
// CHECK: %[[R:.*]] = linalg.max
// CHECK: return %[[R]]
// CHECK-LABEL: func.func private @two_layers_{{[1-9]}}_matmul
// CHECK-SAME: (%{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<16x2xf32>) -> tensor<4x2xf32>
// CHECK-LABEL: func.func @two_layers
// CHECK-NEXT: %[[H:.*]] = call @two_layers_0_matmul(%arg0, %arg1, %arg2)
// CHECK-NEXT: %[[Y:.*]] = call @two_layers_{{.*}}(%[[H]], %arg3)
// CHECK-NEXT: %[[V:.*]] = tensor.collapse_shape %[[Y]]
// CHECK-NEXT: return %[[V]]
func.func @two_layers(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>, %v: tensor<16x2xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<4x16xf32>) dimensions = [0]
  %s = linalg.add ins(%m, %c : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r = linalg.max ins(%s, %f : tensor<4x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %e2 = tensor.empty() : tensor<4x2xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = linalg.matmul ins(%r, %v : tensor<4x16xf32>, tensor<16x2xf32>) outs(%f2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>
  return %flat : tensor<8xf32>
}

// -----
// 2. A residual sum joins the later of the two kernels it reads from.
// CHECK-LABEL: func.func private @residual_0_matmul
// CHECK-NOT: linalg.add
// CHECK-LABEL: func.func private @residual_1_matmul
// CHECK: linalg.matmul
// CHECK: linalg.add
// CHECK-LABEL: func.func @residual
// CHECK-NEXT: %[[A:.*]] = call @residual_0_matmul
// CHECK-NEXT: %[[B:.*]] = call @residual_1_matmul(%[[A]]
// CHECK-NEXT: return %[[B]]
func.func @residual(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = linalg.matmul ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = linalg.matmul ins(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %s = linalg.add ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}

// -----
// 3. A slice that is only computed on is read in place, inside the kernel; one that is returned is a kernel's result.
// CHECK-LABEL: func.func private @slices_0_extract_slice
// CHECK-SAME: (%{{.*}}: tensor<8xf32>) -> tensor<4xf32>
// CHECK-LABEL: func.func private @slices_1_add
// CHECK: tensor.extract_slice %{{.*}}[4] [4] [1]
// CHECK: linalg.add
// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<8xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %b = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %s = linalg.add ins(%b, %z : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  return %a, %s : tensor<4xf32>, tensor<4xf32>
}

// -----
// 3b. Such a slice may have lost a dimension of size 1; the index that it is at is read in the kernel as well.
// CHECK-LABEL: func.func private @chosen_0_matmul
// CHECK-SAME: tensor<1xi32>
// CHECK-SAME: tensor<4x8x2xf32>
// CHECK: tensor.extract
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0, 0] [1, 8, 2] [1, 1, 1]
// CHECK: linalg.matmul
// CHECK-LABEL: func.func @chosen
// CHECK-NEXT: call @chosen_0_matmul
// CHECK-NEXT: return
func.func @chosen(%x: tensor<3x8xf32>, %w: tensor<4x8x2xf32>, %i: tensor<1xi32>, %z: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %number = tensor.extract %i[%c0] : tensor<1xi32>
  %place = arith.index_cast %number : i32 to index
  %one = tensor.extract_slice %w[%place, 0, 0] [1, 8, 2] [1, 1, 1] : tensor<4x8x2xf32> to tensor<1x8x2xf32>
  %v = tensor.collapse_shape %one [[0, 1], [2]] : tensor<1x8x2xf32> into tensor<8x2xf32>
  %y = linalg.matmul ins(%x, %v : tensor<3x8xf32>, tensor<8x2xf32>) outs(%z : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----
// 4. A call reads buffers: a filled or constant operand is written by a kernel of its own.
// CHECK-LABEL: func.func private @filled_0_fill
// CHECK: func.func @filled
// CHECK-NEXT: %[[Z:.*]] = call @filled_0_fill()
// CHECK-NEXT: %[[V:.*]] = tensor.expand_shape %[[Z]]
// CHECK-NEXT: call @own(%[[V]])
func.func private @own(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = math.exp %x : tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
func.func @filled() -> tensor<4x1xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %view = tensor.expand_shape %fill [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
  %0 = call @own(%view) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----
// 5. A constant that is returned, as it is or as a view, is written by a kernel.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT: %[[A:.*]] = call @returned_{{[01]}}_constant() : () -> tensor<6xf32>
// CHECK: return
// CHECK-NOT: func.func @
func.func @returned() -> (tensor<6xf32>, tensor<2x3xf32>) {
  %0 = arith.constant dense<1.0> : tensor<6xf32>
  %1 = arith.constant dense<2.0> : tensor<6xf32>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  return %0, %2 : tensor<6xf32>, tensor<2x3xf32>
}

// -----
// 6. So is a filled tensor: there are no ops between the kernels.
// CHECK-LABEL: func.func @returned_fill
// CHECK-NEXT: %[[A:.*]] = call @returned_fill_0_fill() : () -> tensor<6xi64>
// CHECK-NEXT: return %[[A]], %[[A]]
func.func @returned_fill() -> (tensor<6xi64>, tensor<6xi64>) {
  %zero = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<6xi64>
  %fill = linalg.fill ins(%zero : i64) outs(%empty : tensor<6xi64>) -> tensor<6xi64>
  return %fill, %fill : tensor<6xi64>, tensor<6xi64>
}

// -----
// 7. What only converts to a wider type is done where it is read: the narrow tensor is passed on. Where a reduction reads
//    it, or the function returns it, the kernel before does it.
// CHECK-LABEL: func.func private @widened_0_matmul
// CHECK-SAME: -> tensor<4x4xf16>
// CHECK-NOT: arith.extf
// CHECK-LABEL: func.func private @widened_1_matmul
// CHECK-SAME: tensor<4x4xf16>) -> tensor<4x4xf32>
// CHECK: linalg.matmul
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK-LABEL: func.func @widened
func.func @widened(%a: tensor<4x4xf16>, %b: tensor<4x4xf16>, %c: tensor<4x4xf32>, %z: tensor<4x4xf16>,
    %s: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf16>, tensor<4x4xf16>) outs(%z : tensor<4x4xf16>) -> tensor<4x4xf16>
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf16>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<4x4xf32>
  %2 = linalg.matmul ins(%c, %c : tensor<4x4xf32>, tensor<4x4xf32>) outs(%s : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%1, %2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%x: f32, %y: f32, %old: f32):
      %w = arith.addf %x, %y : f32
      linalg.yield %w : f32
  } -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----
// CHECK-LABEL: func.func private @returned_0_matmul
// CHECK-SAME: -> tensor<4x4xf32>
// CHECK: arith.extf
func.func @returned(%a: tensor<4x4xf16>, %z: tensor<4x4xf16>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<4x4xf16>, tensor<4x4xf16>) outs(%z : tensor<4x4xf16>) -> tensor<4x4xf16>
  %e = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<4x4xf16>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----
// 8. An elementwise op that one other kernel alone reads, together with its operand, is done there: only the operand is
//    passed on. A slice that is concatenated is read in place.
// CHECK-LABEL: func.func private @rotated_0_matmul
// CHECK-SAME: -> (tensor<4x4xf32>, tensor<4x4xf32>)
// CHECK-NOT: arith.mulf
// CHECK: tensor.concat
// CHECK-LABEL: func.func private @rotated_1_matmul
// CHECK: arith.mulf
// CHECK: linalg.matmul
// CHECK: arith.addf
// CHECK-LABEL: func.func @rotated
// CHECK-NEXT: %[[X:.*]]:2 = call @rotated_0_matmul
// CHECK-NEXT: call @rotated_1_matmul(%[[X]]#0
// CHECK-NEXT: return
func.func @rotated(%a: tensor<4x4xf32>, %cos: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %x = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cos : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%p: f32, %q: f32, %old: f32):
      %w = arith.mulf %p, %q : f32
      linalg.yield %w : f32
  } -> tensor<4x4xf32>
  %left = tensor.extract_slice %x[0, 0] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
  %right = tensor.extract_slice %x[0, 2] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
  %turned = tensor.concat dim(1) %right, %left : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%turned, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %x, %y : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32, %old: f32):
      %w = arith.addf %p, %q : f32
      %s = arith.addf %w, %r : f32
      linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
