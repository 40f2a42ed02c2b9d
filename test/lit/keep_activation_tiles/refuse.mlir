// Few rows, columns, another operand of the result's size, and heads of half a tile of columns: rows stay.
// RUN: hexmlir-opt %s --keep-activation-tiles --remarks 2>&1 | filecheck %s
// CHECK-DAG: remark: keep-activation-tiles: result 0 stays rows: 20 rows would be filled up to 32
// CHECK-DAG: remark: keep-activation-tiles: result 0 stays rows: it is not computed element by element from a product of the matrix engine
// CHECK-DAG: remark: keep-activation-tiles: result 0 stays rows: its columns are not whole tiles of heads
// CHECK-DAG: remark: keep-activation-tiles: result 0 stays rows: 20 columns are not whole tiles
// CHECK-NOT: hexagon.activation
func.func private @few(%a: tensor<20x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<20x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<20x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<20x32xf16>) -> tensor<20x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<20x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<20x32xf16>) -> tensor<20x32xf16>
  return %0 : tensor<20x32xf16>
}
func.func private @few_again(%a: tensor<20x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<20x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<20x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<20x32xf16>) -> tensor<20x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<20x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<20x32xf16>) -> tensor<20x32xf16>
  return %0 : tensor<20x32xf16>
}
func.func private @residual(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>, %r: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%0, %r : tensor<32x32xf16>, tensor<32x32xf16>) outs(%none : tensor<32x32xf16>) {
    ^bb0(%x: f16, %y: f16, %old: f16):
      %s = arith.addf %x, %y : f16
      linalg.yield %s : f16
  } -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}
func.func private @next(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}
func.func private @heads(%a: tensor<2x32x16xf16>) -> tensor<32x2x16xf16> {
  %none = tensor.empty() : tensor<32x2x16xf16>
  %0 = scf.forall (%h) in (2) shared_outs(%o = %none) -> (tensor<32x2x16xf16>) {
    %s = tensor.extract_slice %a[%h, 0, 0] [1, 32, 16] [1, 1, 1] : tensor<2x32x16xf16> to tensor<32x16xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, %h, 0] [32, 1, 16] [1, 1, 1] : tensor<32x16xf16> into tensor<32x2x16xf16>
    }
  }
  return %0 : tensor<32x2x16xf16>
}
func.func private @project(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}
// What something else reads stays rows without a remark: the model returns it.
func.func private @returned(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}
func.func private @reader(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}
func.func @model(%a: tensor<20x32xf16>, %b: tensor<32x32xf16>, %c: tensor<2x32x16xf16>, %w: tensor<1x1x16x32x2xf16>) -> (tensor<20x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>)
    attributes {hexagon.constants = array<i64: 3>} {
  %0 = call @few(%a, %w) : (tensor<20x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<20x32xf16>
  %1 = call @few_again(%0, %w) : (tensor<20x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<20x32xf16>
  %2 = call @residual(%b, %w, %b) : (tensor<32x32xf16>, tensor<1x1x16x32x2xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %3 = call @next(%2, %w) : (tensor<32x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %4 = call @heads(%c) : (tensor<2x32x16xf16>) -> tensor<32x2x16xf16>
  %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<32x2x16xf16> into tensor<32x32xf16>
  %6 = call @project(%5, %w) : (tensor<32x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %7 = call @returned(%b, %w) : (tensor<32x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  %8 = call @reader(%7, %w) : (tensor<32x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  return %1, %3, %6, %7, %8 : tensor<20x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf16>
}
// Columns that do not fill up a tile.
func.func private @narrow(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x20xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x20xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x20xf16>) -> tensor<32x20xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<32x20xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x20xf16>) outs(%sums : tensor<32x20xf16>) -> tensor<32x20xf16>
  return %0 : tensor<32x20xf16>
}
func.func private @wide(%a: tensor<32x20xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : tensor<32x32xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
  %b = "hexagon.weight_matrix"(%w) : (tensor<1x1x16x32x2xf16>) -> tensor<20x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x20xf16>, tensor<20x32xf16>) outs(%sums : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %0 : tensor<32x32xf16>
}
func.func @narrow_model(%a: tensor<32x32xf16>, %w: tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16> attributes {hexagon.constants = array<i64: 1>} {
  %0 = call @narrow(%a, %w) : (tensor<32x32xf16>, tensor<1x1x16x32x2xf16>) -> tensor<32x20xf16>
  %1 = call @wide(%0, %w) : (tensor<32x20xf16>, tensor<1x1x16x32x2xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}
