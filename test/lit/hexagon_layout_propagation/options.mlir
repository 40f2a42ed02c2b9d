// Which chains pay, and what fits the budget.
// RUN: hexmlir-opt %s --hexagon-layout-propagation | filecheck %s --check-prefixes=CHOSEN
// RUN: hexmlir-opt %s --hexagon-layout-propagation=always=true | filecheck %s --check-prefixes=ALWAYS
// RUN: hexmlir-opt %s --hexagon-layout-propagation='tcm-bytes=65536' --remarks 2>&1 | filecheck %s --check-prefixes=NONE
// RUN: hexmlir-opt %s --hexagon-layout-propagation=matrix-engine=false | filecheck %s --check-prefixes=OFF
// RUN: hexmlir-opt %s --hexagon-layout-propagation=always=true --target=v68 | filecheck %s --check-prefixes=OFF
// RUN: not hexmlir-opt %s --hexagon-layout-propagation=tiles=1 2>&1 | filecheck %s --check-prefix=BAD

// CHOSEN-LABEL: func.func @few
// CHOSEN-COUNT-2: linalg.matmul
// CHOSEN-LABEL: func.func @many
// CHOSEN-NOT: linalg.matmul
// ALWAYS-NOT: linalg.matmul
// NONE: remark: hexagon-layout-propagation: products do not stay in tiles: tiles exceed the TCM budget
// NONE-LABEL: func.func @many
// NONE-COUNT-2: linalg.matmul
// OFF-COUNT-4: linalg.matmul
// BAD: error: hexagon-layout-propagation: unknown option 'tiles'
// BAD-NEXT: hint: options of hexagon-layout-propagation: tcm-bytes, matrix-engine, always
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @few(%a: tensor<4x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<4x32xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<4x32xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %p0 = linalg.matmul ins(%a, %b : tensor<4x32xf16>, tensor<32x32xf16>) outs(%zp0 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %eh0 = tensor.empty() : tensor<4x32xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<4x32xf32>) outs(%eh0 : tensor<4x32xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    %q = arith.mulf %h, %h : f16
    linalg.yield %q : f16
  } -> tensor<4x32xf16>
  %ep1 = tensor.empty() : tensor<4x32xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<4x32xf16>, tensor<32x32xf16>) outs(%zp1 : tensor<4x32xf32>) -> tensor<4x32xf32>
  %eo = tensor.empty() : tensor<4x32xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<4x32xf32>) outs(%eo : tensor<4x32xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<4x32xf16>
  return %o : tensor<4x32xf16>
}
func.func @many(%a: tensor<128x128xf16>, %b: tensor<128x128xf16>, %c: tensor<128x128xf16>) -> tensor<128x128xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<128x128xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %p0 = linalg.matmul ins(%a, %b : tensor<128x128xf16>, tensor<128x128xf16>) outs(%zp0 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %eh0 = tensor.empty() : tensor<128x128xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<128x128xf32>) outs(%eh0 : tensor<128x128xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    %q = arith.mulf %h, %h : f16
    linalg.yield %q : f16
  } -> tensor<128x128xf16>
  %ep1 = tensor.empty() : tensor<128x128xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<128x128xf16>, tensor<128x128xf16>) outs(%zp1 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %eo = tensor.empty() : tensor<128x128xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<128x128xf32>) outs(%eo : tensor<128x128xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<128x128xf16>
  return %o : tensor<128x128xf16>
}
