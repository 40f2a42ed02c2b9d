// Products are split where asked for, where it pays, and where the engine gives results of f32.
// RUN: hexmlir-opt %s --hexagon-split-products | filecheck %s --check-prefix=LEFT
// RUN: hexmlir-opt %s --hexagon-split-products='f32-split=true matrix-engine=false' | filecheck %s --check-prefix=LEFT
// RUN: hexmlir-opt %s --hexagon-split-products='f32-split=true always=true' --target=v73 | filecheck %s --check-prefix=LEFT
// RUN: hexmlir-opt %s --hexagon-split-products=f32-split=true --remarks 2>&1 | filecheck %s --check-prefix=PAYS
// RUN: hexmlir-opt %s --hexagon-split-products='f32-split=true always=true' | filecheck %s --check-prefix=ALWAYS

// LEFT-COUNT-2: linalg.matmul
// PAYS: remark: hexagon-split-products: not split: HVX is estimated to compute it in less time
// PAYS-LABEL: func.func @few
// PAYS: linalg.matmul
// PAYS-LABEL: func.func @many
// PAYS: tensor<512x1536xf16>, tensor<1536x512xf16>
// ALWAYS: tensor<4x96xf16>, tensor<96x32xf16>
// ALWAYS-NOT: linalg.matmul
func.func @few(%a: tensor<4x32xf32>, %b: tensor<32x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<4x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<4x32xf32>) -> tensor<4x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x32xf32>, tensor<32x32xf32>) outs(%start : tensor<4x32xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

func.func @many(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<512x512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%start : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
