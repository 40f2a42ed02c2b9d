// A constant that a row is multiplied by is given as codes of 4 bits and scales.
// RUN: hexmlir-opt %s --pack-block-weights | filecheck %s

// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: %[[CODES:[a-z0-9]+]]: tensor<2x2x4x2x32x4xi8>, %{{[a-z0-9]+}}: tensor<1x70xf32>, %[[SCALES:[a-z0-9]+]]: tensor<2x2x2x32xf16>)
// CHECK: %[[WEIGHTS:.*]] = "hexagon.block_matrix"(%[[CODES]], %[[SCALES]]) {bits = 4 : i64} : (tensor<2x2x4x2x32x4xi8>, tensor<2x2x2x32xf16>) -> tensor<40x70xf32>
// CHECK: linalg.matmul ins(%{{.*}}, %[[WEIGHTS]] :
func.func private @kernel(%a: tensor<1x40xf32>, %b: tensor<40x70xf32>, %c: tensor<1x70xf32>) -> tensor<1x70xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x40xf32>, tensor<40x70xf32>) outs(%c : tensor<1x70xf32>) -> tensor<1x70xf32>
  return %0 : tensor<1x70xf32>
}

// Scales of several constants follow each other, in the order of the codes; other constants stay.
// CHECK-LABEL: func.func private @two
// CHECK-SAME: %arg1: tensor<40x70xf32>, %arg2: tensor<2x3x4x2x32x4xi8>, %arg3: tensor<1x70xf32>, %arg4: tensor<2x3x2x32xf16>)
func.func private @two(%a: tensor<1x70xf32>, %b: tensor<40x70xf32>, %w: tensor<70x70xf32>, %c: tensor<1x70xf32>) -> tensor<1x70xf32> {
  %0 = linalg.matmul ins(%a, %w : tensor<1x70xf32>, tensor<70x70xf32>) outs(%c : tensor<1x70xf32>) -> tensor<1x70xf32>
  return %0 : tensor<1x70xf32>
}

// CHECK-LABEL: func.func @model
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x40xf32>, %[[FIRST:[a-z0-9]+]]: tensor<2x2x4x2x32x4xi8>, %[[OTHER:[a-z0-9]+]]: tensor<40x70xf32>, %[[SECOND:[a-z0-9]+]]: tensor<2x3x4x2x32x4xi8>, %[[Y:[a-z0-9]+]]: tensor<1x70xf32>, %[[S:[a-z0-9]+]]: tensor<2x2x2x32xf16>, %[[T:[a-z0-9]+]]: tensor<2x3x2x32xf16>)
// CHECK-SAME: attributes {hexagon.block_codes = array<i64: 1, 3>, hexagon.block_constants = array<i64: 1, 3>, hexagon.constants = array<i64: 1, 2, 3, 5, 6>}
// CHECK: %[[R:.*]] = call @kernel(%[[X]], %[[FIRST]], %[[Y]], %[[S]])
// CHECK: call @two(%[[R]], %[[OTHER]], %[[SECOND]], %[[Y]], %[[T]])
func.func @model(%a: tensor<1x40xf32>, %b: tensor<40x70xf32>, %o: tensor<40x70xf32>, %w: tensor<70x70xf32>,
    %c: tensor<1x70xf32>) -> tensor<1x70xf32>
    attributes {hexagon.block_constants = array<i64: 1, 3>, hexagon.constants = array<i64: 1, 2, 3>} {
  %0 = call @kernel(%a, %b, %c) : (tensor<1x40xf32>, tensor<40x70xf32>, tensor<1x70xf32>) -> tensor<1x70xf32>
  %1 = call @two(%0, %o, %w, %c) : (tensor<1x70xf32>, tensor<40x70xf32>, tensor<70x70xf32>, tensor<1x70xf32>) -> tensor<1x70xf32>
  return %1 : tensor<1x70xf32>
}

// Formats say how weights are stored: 8 bits in blocks of 64, f32 scales, zero points.
// CHECK-LABEL: func.func private @bytes
// CHECK-SAME: %[[CODES:[a-z0-9]+]]: tensor<1x2x16x2x32x4xi8>, %{{[a-z0-9]+}}: tensor<1x64xf32>, %[[SCALES:[a-z0-9]+]]: tensor<1x2x2x32xf32>, %[[ZEROS:[a-z0-9]+]]: tensor<1x2x2x32xi8>)
// CHECK: "hexagon.block_matrix"(%[[CODES]], %[[SCALES]], %[[ZEROS]]) {bits = 8 : i64}
func.func private @bytes(%a: tensor<1x70xf32>, %b: tensor<70x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x70xf32>, tensor<70x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// CHECK-LABEL: func.func @model_of_bytes
// CHECK-SAME: hexagon.constants = array<i64: 1, 3, 4>
func.func @model_of_bytes(%a: tensor<1x70xf32>, %b: tensor<70x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32>
    attributes {hexagon.block_constants = array<i64: 1>, hexagon.block_formats = array<i64: 64, 8, 32, 8, 0>,
                hexagon.constants = array<i64: 1>} {
  %0 = call @bytes(%a, %b, %c) : (tensor<1x70xf32>, tensor<70x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// Minima of f32, and bytes as scales.
// CHECK-LABEL: func.func private @four_bits
// CHECK-SAME: tensor<1x3x4x2x32x4xi8>
// CHECK-SAME: tensor<1x3x2x32xf16>, %{{[a-z0-9]+}}: tensor<1x3x2x32xf32>)
func.func private @four_bits(%a: tensor<1x70xf32>, %b: tensor<70x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x70xf32>, tensor<70x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
// CHECK-LABEL: func.func private @microscaling
// CHECK-SAME: tensor<1x3x4x2x32x4xi8>
// CHECK-SAME: tensor<1x3x2x32xi8>)
func.func private @microscaling(%a: tensor<1x70xf32>, %b: tensor<70x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x70xf32>, tensor<70x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
func.func @model_of_four_bits(%a: tensor<1x70xf32>, %b: tensor<70x64xf32>, %w: tensor<70x64xf32>, %c: tensor<1x64xf32>)
    -> (tensor<1x64xf32>, tensor<1x64xf32>)
    attributes {hexagon.block_constants = array<i64: 1, 2>,
                hexagon.block_formats = array<i64: 32, 4, 16, 32, 0, 32, 4, 8, 0, 0>, hexagon.constants = array<i64: 1, 2>} {
  %0 = call @four_bits(%a, %b, %c) : (tensor<1x70xf32>, tensor<70x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %1 = call @microscaling(%a, %w, %c) : (tensor<1x70xf32>, tensor<70x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0, %1 : tensor<1x64xf32>, tensor<1x64xf32>
}

// Of several matrices, a kernel multiplies by the one at an index: a part of all codes, and of all scales.
// CHECK-LABEL: func.func private @one_of_three
// CHECK-SAME: %[[AT:[a-z0-9]+]]: index, %[[CODES:[a-z0-9]+]]: tensor<3x1x2x4x2x32x4xi8>
// CHECK-SAME: %[[SCALES:[a-z0-9]+]]: tensor<3x1x2x2x32xf16>)
// CHECK-DAG: tensor.extract_slice %[[CODES]][%[[AT]], 0, 0, 0, 0, 0, 0] [1, 1, 2, 4, 2, 32, 4]
// CHECK-DAG: tensor.extract_slice %[[SCALES]][%[[AT]], 0, 0, 0, 0] [1, 1, 2, 2, 32]
// CHECK: hexagon.block_matrix
// CHECK-LABEL: func.func @model_of_three
// CHECK-SAME: hexagon.block_codes = array<i64: 1>
// CHECK-SAME: hexagon.constants = array<i64: 1, 4>
// CHECK: call @one_of_three
// CHECK: call @another
func.func private @one_of_three(%a: tensor<1x40xf32>, %i: index, %b: tensor<3x40x64xf32>, %c: tensor<1x64xf32>)
    -> tensor<1x64xf32> {
  %s = tensor.extract_slice %b[%i, 0, 0] [1, 40, 64] [1, 1, 1] : tensor<3x40x64xf32> to tensor<1x40x64xf32>
  %w = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x40x64xf32> into tensor<40x64xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<1x40xf32>, tensor<40x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
func.func private @another(%a: tensor<1x40xf32>, %i: index, %b: tensor<3x40x64xf32>, %c: tensor<1x64xf32>)
    -> tensor<1x64xf32> {
  %s = tensor.extract_slice %b[%i, 0, 0] [1, 40, 64] [1, 1, 1] : tensor<3x40x64xf32> to tensor<1x40x64xf32>
  %w = tensor.collapse_shape %s [[0, 1], [2]] : tensor<1x40x64xf32> into tensor<40x64xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<1x40xf32>, tensor<40x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
func.func @model_of_three(%a: tensor<1x40xf32>, %b: tensor<3x40x64xf32>, %i: index, %c: tensor<1x64xf32>)
    -> (tensor<1x64xf32>, tensor<1x64xf32>)
    attributes {hexagon.block_constants = array<i64: 1>, hexagon.constants = array<i64: 1>} {
  %0 = call @one_of_three(%a, %i, %b, %c) : (tensor<1x40xf32>, index, tensor<3x40x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  %1 = call @another(%a, %i, %b, %0) : (tensor<1x40xf32>, index, tensor<3x40x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
  return %0, %1 : tensor<1x64xf32>, tensor<1x64xf32>
}
