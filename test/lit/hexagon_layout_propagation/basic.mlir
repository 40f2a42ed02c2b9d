// Chains of products: what stands between them works on tiles.
// RUN: hexmlir-opt %s --hexagon-layout-propagation=always=true --split-input-file | filecheck %s

// 1. An elementwise op: nothing is unpacked between the products, only the last result is; it is not copied.
// CHECK-LABEL: func.func @elementwise
// CHECK-COUNT-3: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x16x32x2xf32>)
// CHECK-NOT: linalg.transpose
// CHECK: arith.mulf {{.*}} : f16
// CHECK-NOT: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x3x16x32x2xf16>, tensor<1x3x16x32x2xf16>)
// CHECK: arith.truncf
// CHECK-NOT: linalg.generic
// CHECK: %[[ROWS:.*]] = linalg.transpose {{.*}} permutation = [0, 2, 4, 1, 3]
// CHECK: tensor.collapse_shape %[[ROWS]]
// CHECK-NOT: linalg.matmul
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @elementwise(%a: tensor<64x32xf16>, %b: tensor<32x96xf16>, %c: tensor<96x32xf16>) -> tensor<64x32xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<64x96xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %p0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x96xf16>) outs(%zp0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %eh0 = tensor.empty() : tensor<64x96xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<64x96xf32>) outs(%eh0 : tensor<64x96xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    %q = arith.mulf %h, %h : f16
    linalg.yield %q : f16
  } -> tensor<64x96xf16>
  %ep1 = tensor.empty() : tensor<64x32xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %p1 = linalg.matmul ins(%h0, %c : tensor<64x96xf16>, tensor<96x32xf16>) outs(%zp1 : tensor<64x32xf32>) -> tensor<64x32xf32>
  %eo = tensor.empty() : tensor<64x32xf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p1 : tensor<64x32xf32>) outs(%eo : tensor<64x32xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<64x32xf16>
  return %o : tensor<64x32xf16>
}

// -----
// 2. A softmax, ragged: keys that fill up the last tile have the least score and no weight; the maximum of a row stands
// in all columns of its tiles; the sums are one more column of tiles of the second product.
// CHECK-LABEL: func.func @softmax
// CHECK-DAG: %[[LIMITS:.*]] = arith.constant dense<{{.*}}> : tensor<2x64xf16>
// CHECK-DAG: %[[MASK:.*]] = arith.constant dense<{{.*}}> : tensor<64xi16>
// CHECK: linalg.transpose {{.*}} permutation = [3, 0, 1, 4, 2]
// CHECK: tensor.insert_slice {{.*}}[0, 0, 0, 0, 0] {{.*}} : tensor<1x2x16x32x2xf16> into tensor<2x2x16x32x2xf16>
// CHECK: %[[ONES:.*]] = linalg.fill ins(%cst{{.*}} : f16) outs(%{{.*}} : tensor<1x2x16x32x2xf16>)
// CHECK: tensor.insert_slice %[[ONES]] into {{.*}}[1, 0, 0, 0, 0] {{.*}} : tensor<1x2x16x32x2xf16> into tensor<2x2x16x32x2xf16>
// CHECK: arith.minnumf
// CHECK: arith.maxnumf
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK: math.exp
// CHECK: arith.andi {{.*}} : i16
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x2x16x32x2xf32>)
// CHECK: tensor.extract_slice {{.*}}[0, 1, 0, 0] [2, 1, 16, 64]
// CHECK: arith.divf
// CHECK: tensor.extract_slice {{.*}}[0, 0] [33, 32] [1, 1] : tensor<64x32xf16> to tensor<33x32xf16>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax(%a: tensor<33x32xf16>, %b: tensor<40x32xf16>, %c: tensor<40x32xf16>) -> tensor<33x32xf16> {
  %zero = arith.constant 0.0 : f32
  %ep0 = tensor.empty() : tensor<33x40xf32>
  %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<33x40xf32>) -> tensor<33x40xf32>
  %p0 = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<33x32xf16>, tensor<40x32xf16>) outs(%zp0 : tensor<33x40xf32>) {
  ^bb0(%x: f16, %y: f16, %old: f32):
    %w = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %w, %v : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  } -> tensor<33x40xf32>
  %eh0 = tensor.empty() : tensor<33x40xf16>
  %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p0 : tensor<33x40xf32>) outs(%eh0 : tensor<33x40xf16>) {
  ^bb0(%x: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<33x40xf16>
  %least = arith.constant -65504.0 : f16
  %em = tensor.empty() : tensor<33xf16>
  %start = linalg.fill ins(%least : f16) outs(%em : tensor<33xf16>) -> tensor<33xf16>
  %most = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]} ins(%h0 : tensor<33x40xf16>) outs(%start : tensor<33xf16>) {
  ^bb0(%x: f16, %old: f16):
    %g = arith.maxnumf %x, %old : f16
    linalg.yield %g : f16
  } -> tensor<33xf16>
  %ew = tensor.empty() : tensor<33x40xf16>
  %w0 = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]} ins(%h0, %most : tensor<33x40xf16>, tensor<33xf16>) outs(%ew : tensor<33x40xf16>) {
  ^bb0(%x: f16, %y: f16, %old: f16):
    %d = arith.subf %x, %y : f16
    %g = math.exp %d : f16
    linalg.yield %g : f16
  } -> tensor<33x40xf16>
  %es = tensor.empty() : tensor<33xf32>
  %none = linalg.fill ins(%zero : f32) outs(%es : tensor<33xf32>) -> tensor<33xf32>
  %sums = linalg.generic {indexing_maps = [#same, #row], iterator_types = ["parallel", "reduction"]} ins(%w0 : tensor<33x40xf16>) outs(%none : tensor<33xf32>) {
  ^bb0(%x: f16, %old: f32):
    %v = arith.extf %x : f16 to f32
    %g = arith.addf %old, %v : f32
    linalg.yield %g : f32
  } -> tensor<33xf32>
  %ep1 = tensor.empty() : tensor<33x32xf32>
  %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<33x32xf32>) -> tensor<33x32xf32>
  %p1 = linalg.matmul ins(%w0, %c : tensor<33x40xf16>, tensor<40x32xf16>) outs(%zp1 : tensor<33x32xf32>) -> tensor<33x32xf32>
  %eq = tensor.empty() : tensor<33x32xf16>
  %o = linalg.generic {indexing_maps = [#same, #row, #same], iterator_types = ["parallel", "parallel"]} ins(%p1, %sums : tensor<33x32xf32>, tensor<33xf32>) outs(%eq : tensor<33x32xf16>) {
  ^bb0(%x: f32, %y: f32, %old: f16):
    %h = arith.truncf %x : f32 to f16
    %v = arith.extf %h : f16 to f32
    %d = arith.divf %v, %y : f32
    %g = arith.truncf %d : f32 to f16
    linalg.yield %g : f16
  } -> tensor<33x32xf16>
  return %o : tensor<33x32xf16>
}

// -----
// 3. Chains in iterations of an scf.forall: right factors from outside are packed before it, the last result is unpacked
// before it is the iteration's.
// CHECK-LABEL: func.func @parallel
// CHECK-COUNT-2: linalg.transpose
// CHECK: scf.forall
// CHECK: linalg.transpose
// CHECK-NOT: linalg.transpose
// CHECK: arith.mulf {{.*}} : f16
// CHECK: %[[ROWS:.*]] = linalg.transpose {{.*}} permutation = [0, 2, 4, 1, 3]
// CHECK: %[[MATRIX:.*]] = tensor.collapse_shape %[[ROWS]]
// CHECK: scf.forall.in_parallel
// CHECK-NEXT: tensor.parallel_insert_slice %[[MATRIX]] into
// CHECK-NOT: linalg.matmul
#same = affine_map<(i, j) -> (i, j)>
func.func @parallel(%a: tensor<4x64x32xf16>, %b: tensor<32x96xf16>, %c: tensor<96x32xf16>) -> tensor<4x64x32xf16> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<4x64x32xf16>
  %all = scf.forall (%i) in (4) shared_outs(%into = %out) -> (tensor<4x64x32xf16>) {
    %left = tensor.extract_slice %a[%i, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<4x64x32xf16> to tensor<64x32xf16>
    %ep0 = tensor.empty() : tensor<64x96xf32>
    %zp0 = linalg.fill ins(%zero : f32) outs(%ep0 : tensor<64x96xf32>) -> tensor<64x96xf32>
    %p0 = linalg.matmul ins(%left, %b : tensor<64x32xf16>, tensor<32x96xf16>) outs(%zp0 : tensor<64x96xf32>) -> tensor<64x96xf32>
    %eh0 = tensor.empty() : tensor<64x96xf16>
    %h0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%p0 : tensor<64x96xf32>) outs(%eh0 : tensor<64x96xf16>) {
    ^bb0(%x: f32, %old: f16):
      %h = arith.truncf %x : f32 to f16
      %q = arith.mulf %h, %h : f16
      linalg.yield %q : f16
    } -> tensor<64x96xf16>
    %ep1 = tensor.empty() : tensor<64x32xf32>
    %zp1 = linalg.fill ins(%zero : f32) outs(%ep1 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %p1 = linalg.matmul ins(%h0, %c : tensor<64x96xf16>, tensor<96x32xf16>) outs(%zp1 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %eo = tensor.empty() : tensor<64x32xf16>
    %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%p1 : tensor<64x32xf32>) outs(%eo : tensor<64x32xf16>) {
    ^bb0(%x: f32, %old: f16):
      %h = arith.truncf %x : f32 to f16
      linalg.yield %h : f16
    } -> tensor<64x32xf16>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %into[%i, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<64x32xf16> into tensor<4x64x32xf16>
    }
  }
  return %all : tensor<4x64x32xf16>
}
