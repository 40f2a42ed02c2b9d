// Loops that stay.
// RUN: hexmlir-opt %s --untile-products=always=true --split-input-file --verify-diagnostics --remarks | filecheck %s

// CHECK-LABEL: func.func @floats
// CHECK-NOT: tensor.insert_slice
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @floats(%a: tensor<32x64xf32>, %b: tensor<64x32xf32>) -> tensor<32x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<32x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf32> to tensor<32x32xf32>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf32> to tensor<32x32xf32>
    // expected-remark@+1 {{untile-products: its loop stays: factors of f32 and f32, not f16, bf16 or bytes}}
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%old : tensor<32x32xf32>) {
    ^bb0(%xe: f32, %ye: f32, %s: f32):
    %p = arith.mulf %xe, %ye : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    scf.yield %new : tensor<32x32xf32>
  }
  %half = tensor.empty() : tensor<32x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<32x32xf16>
  return %result : tensor<32x32xf16>
}

// -----
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: tensor.insert_slice
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @dynamic(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %n: index) -> tensor<32x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<32x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sums = scf.for %k = %c0 to %n step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf16> to tensor<32x32xf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
    // expected-remark@+1 {{untile-products: its loop stays: the number of its iterations is not known}}
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%old : tensor<32x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    scf.yield %new : tensor<32x32xf32>
  }
  %half = tensor.empty() : tensor<32x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<32x32xf16>
  return %result : tensor<32x32xf16>
}

// -----
// CHECK-LABEL: func.func @started
// CHECK-NOT: tensor.insert_slice
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @started(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<32x32xf32>
  %zeros = linalg.fill ins(%one : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf16> to tensor<32x32xf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
    // expected-remark@+1 {{untile-products: its loop stays: its sums do not start from zeros}}
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%old : tensor<32x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    scf.yield %new : tensor<32x32xf32>
  }
  %half = tensor.empty() : tensor<32x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<32x32xf16>
  return %result : tensor<32x32xf16>
}

// -----
// CHECK-LABEL: func.func @once
// CHECK-NOT: tensor.insert_slice
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @once(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<32x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sums = scf.for %k = %c0 to %c32 step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf16> to tensor<32x32xf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
    // expected-remark@+1 {{untile-products: its loop stays: there are no two iterations}}
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%old : tensor<32x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    scf.yield %new : tensor<32x32xf32>
  }
  %half = tensor.empty() : tensor<32x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<32x32xf16>
  return %result : tensor<32x32xf16>
}

// -----
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: tensor.insert_slice
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (k, j)>
#sum = affine_map<(i, j, k) -> (i, j)>
#same = affine_map<(i, j) -> (i, j)>
func.func @scaled(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>) -> tensor<32x32xf16> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = tensor.empty() : tensor<32x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sums = scf.for %k = %c0 to %c64 step %c32 iter_args(%old = %zeros) -> (tensor<32x32xf32>) {
    %x = tensor.extract_slice %a[0, %k] [32, 32] [1, 1] : tensor<32x64xf16> to tensor<32x32xf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 32] [1, 1] : tensor<64x32xf16> to tensor<32x32xf16>
    // expected-remark@+1 {{untile-products: its loop stays: the loop reads the sums elsewhere}}
    %new = linalg.generic {indexing_maps = [#left, #right, #sum], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x32xf16>, tensor<32x32xf16>) outs(%old : tensor<32x32xf32>) {
    ^bb0(%xe: f16, %ye: f16, %s: f32):
    %xw = arith.extf %xe : f16 to f32
    %yw = arith.extf %ye : f16 to f32
    %p = arith.mulf %xw, %yw : f32
      %t = arith.addf %s, %p : f32
      linalg.yield %t : f32
    } -> tensor<32x32xf32>
    %next = linalg.exp ins(%new : tensor<32x32xf32>) outs(%new : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %half = tensor.empty() : tensor<32x32xf16>
  %result = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<32x32xf32>) outs(%half : tensor<32x32xf16>) {
  ^bb0(%s: f32, %o: f16):
    %h = arith.truncf %s : f32 to f16
    linalg.yield %h : f16
  } -> tensor<32x32xf16>
  return %result : tensor<32x32xf16>
}
