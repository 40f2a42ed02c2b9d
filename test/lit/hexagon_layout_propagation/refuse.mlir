// Chains that are left alone.
// RUN: hexmlir-opt %s --hexagon-layout-propagation=always=true --split-input-file --verify-diagnostics --remarks | filecheck %s

// CHECK-LABEL: func.func @wide
// CHECK-COUNT-2: linalg.matmul
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @wide(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<64x64xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@+1 {{hexagon-layout-propagation: products do not stay in tiles: sums in f32 are read before they are rounded to f16}}
  %p0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %ew = tensor.empty() : tensor<64x64xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%p0 : tensor<64x64xf32>) outs(%ew : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %q = arith.mulf %x, %x : f32
    %h = arith.truncf %q : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  %ep1 = tensor.empty() : tensor<64x64xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eo = tensor.empty() : tensor<64x64xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<64x64xf32>) outs(%eo : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  return %o : tensor<64x64xf16>
}

// -----
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-2: linalg.matmul
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @sums(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<64x64xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@+1 {{hexagon-layout-propagation: products do not stay in tiles: a result is not f16}}
  %p0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eh0 = tensor.empty() : tensor<64x64xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<64x64xf32>) outs(%eh0 : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  %ep1 = tensor.empty() : tensor<64x64xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p1 : tensor<64x64xf32>
}

// -----
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: linalg.matmul
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @rows(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64xf16>) {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<64x64xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@+1 {{hexagon-layout-propagation: products do not stay in tiles: other operations read one number a row: not elementwise}}
  %p0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eh0 = tensor.empty() : tensor<64x64xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<64x64xf32>) outs(%eh0 : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  %least = arith.constant -65504.0 : f16
  %em = tensor.empty() : tensor<64xf16>
  %start = linalg.fill ins(%least : f16) outs(%em : tensor<64xf16>) -> tensor<64xf16>
  %most = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]} ins(%h0 : tensor<64x64xf16>) outs(%start : tensor<64xf16>) {
  ^bb0(%x: f16, %old: f16):
    %g = arith.maxnumf %x, %old : f16
    linalg.yield %g : f16
  } -> tensor<64xf16>
  %ep1 = tensor.empty() : tensor<64x64xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eo = tensor.empty() : tensor<64x64xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<64x64xf32>) outs(%eo : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  return %o, %most : tensor<64x64xf16>, tensor<64xf16>
}

// -----
// CHECK-LABEL: func.func @lone
// CHECK-COUNT-2: linalg.matmul
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @lone(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<64x64xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@+1 {{hexagon-layout-propagation: products do not stay in tiles: a sum of rows is not one of a left factor}}
  %p0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eh0 = tensor.empty() : tensor<64x64xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<64x64xf32>) outs(%eh0 : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  %eq0 = tensor.empty() : tensor<64x64xf16>
  %q0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<64x64xf32>) outs(%eq0 : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    %q = arith.mulf %h, %h : f16
    linalg.yield %q : f16
  } -> tensor<64x64xf16>
  %es = tensor.empty() : tensor<64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%es : tensor<64xf32>) -> tensor<64xf32>
  %sums = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]} ins(%q0 : tensor<64x64xf16>) outs(%none : tensor<64xf32>) {
  ^bb0(%x: f16, %old: f32):
    %v = arith.extf %x : f16 to f32
    %g = arith.addf %old, %v : f32
    linalg.yield %g : f32
  } -> tensor<64xf32>
  %ep1 = tensor.empty() : tensor<64x64xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eo = tensor.empty() : tensor<64x64xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<64x64xf32>) outs(%eo : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  return %o : tensor<64x64xf16>
}

// -----
// An op that depends on its indices ends the chain before its second product.
// CHECK-LABEL: func.func @index
// CHECK-COUNT-2: linalg.matmul
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @index(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<64x64xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eh0 = tensor.empty() : tensor<64x64xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<64x64xf32>) outs(%eh0 : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i16
    %f = arith.sitofp %n : i16 to f16
    %q = arith.addf %h, %f : f16
    linalg.yield %q : f16
  } -> tensor<64x64xf16>
  %ep1 = tensor.empty() : tensor<64x64xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<64x64xf16>, tensor<64x64xf16>) outs(%zp1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %eo = tensor.empty() : tensor<64x64xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<64x64xf32>) outs(%eo : tensor<64x64xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x64xf16>
  return %o : tensor<64x64xf16>
}
