// Which products pay, and what fits the budget.
// RUN: hexmlir-opt %s --hexagon-matrix-engine --remarks 2>&1 | filecheck %s --check-prefixes=CHOSEN
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true | filecheck %s --check-prefixes=ALWAYS
// RUN: hexmlir-opt %s --hexagon-matrix-engine='tcm-bytes=131072' | filecheck %s --check-prefixes=SMALL
// RUN: hexmlir-opt %s --hexagon-matrix-engine='tcm-bytes=8192' --remarks 2>&1 | filecheck %s --check-prefixes=NONE
// RUN: hexmlir-opt %s --hexagon-matrix-engine=always=true --target=v68 | filecheck %s --check-prefixes=OLD
// RUN: not hexmlir-opt %s --hexagon-matrix-engine=tiles=1 2>&1 | filecheck %s --check-prefix=BAD

// RUN: hexmlir-opt %s --hexagon-matrix-engine=close=engine | filecheck %s --check-prefix=ENGINE
// RUN: hexmlir-opt %s --hexagon-matrix-engine=close=hvx --remarks 2>&1 | filecheck %s --check-prefix=VECTORS
// RUN: not hexmlir-opt %s --hexagon-matrix-engine=close=refused 2>&1 | filecheck %s --check-prefix=REFUSED

// CHOSEN: remark: hexagon-matrix-engine: left to HVX, which is estimated to compute it in less time
// CHOSEN-LABEL: func.func @few
// CHOSEN: linalg.matmul
// CHOSEN-LABEL: func.func @many
// CHOSEN-NOT: linalg.matmul
// CHOSEN-LABEL: func.func @either
// CHOSEN: linalg.matmul
// ALWAYS-NOT: linalg.matmul
// SMALL-LABEL: func.func @many
// SMALL: scf.for {{.*}} to %c128{{.*}} step %c64
// SMALL: scf.for
// SMALL: linalg.generic {{.*}} ins({{.*}} : tensor<2x4x16x32x2xf16>, tensor<
// NONE: remark: hexagon-matrix-engine: left to HVX: one row and one column of tiles exceed the TCM budget
// NONE-LABEL: func.func @many
// NONE: linalg.matmul
// OLD-COUNT-3: linalg.matmul
// BAD: error: hexagon-matrix-engine: unknown option 'tiles'
// BAD-NEXT: hint: options of hexagon-matrix-engine: tcm-bytes, matrix-engine, always, gaps, close
// ENGINE-NOT: linalg.matmul
// VECTORS-COUNT-2: remark: hexagon-matrix-engine: left to HVX, as its option close=hvx says
// VECTORS-LABEL: func.func @many
// VECTORS-NOT: linalg.matmul
// VECTORS-LABEL: func.func @either
// VECTORS: linalg.matmul
// REFUSED: error: hexagon-matrix-engine: estimated to take {{[0-9]+}} cycles on the engine, {{[0-9]+}} on HVX
// REFUSED: hint: close=estimated takes the lesser one
func.func @few(%a: tensor<4x32xf16>, %b: tensor<32x32xf16>) -> tensor<4x32xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<4x32xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<4x32xf16>) -> tensor<4x32xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<4x32xf16>, tensor<32x32xf16>) outs(%start : tensor<4x32xf16>) -> tensor<4x32xf16>
  return %0 : tensor<4x32xf16>
}
func.func @many(%a: tensor<128x128xf16>, %b: tensor<128x128xf16>) -> tensor<128x128xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<128x128xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<128x128xf16>) -> tensor<128x128xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<128x128xf16>, tensor<128x128xf16>) outs(%start : tensor<128x128xf16>) -> tensor<128x128xf16>
  return %0 : tensor<128x128xf16>
}
func.func @either(%a: tensor<139x4xf16>, %b: tensor<4x185xf16>) -> tensor<139x185xf16> {
  %zero = arith.constant 0.0 : f16
  %init = tensor.empty() : tensor<139x185xf16>
  %start = linalg.fill ins(%zero : f16) outs(%init : tensor<139x185xf16>) -> tensor<139x185xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<139x4xf16>, tensor<4x185xf16>) outs(%start : tensor<139x185xf16>) -> tensor<139x185xf16>
  return %0 : tensor<139x185xf16>
}
