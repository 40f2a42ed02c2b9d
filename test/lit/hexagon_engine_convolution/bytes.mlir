// A convolution of bytes with sign: 128 is added to those of the image, and subtracted from the sums.
// RUN: hexmlir-opt %s --hexagon-engine-convolution=always=true | filecheck %s
// CHECK-LABEL: func.func @signed
// CHECK: linalg.fill ins(%c-5_i8{{.*}}) {{.*}} tensor<10x{{[0-9]+}}xi8>
// CHECK: bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<576x128xi8>
// CHECK: arith.xori %{{.*}}, %c-128_i8{{.*}} : i8
// CHECK: hexagon.windows
// CHECK: linalg.index 2 : index
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK-NEXT: arith.muli %{{.*}}, %c-128_i32{{.*}} : i32
// CHECK-NOT: linalg.conv_2d_nhwc_hwcf
func.func @signed(%image: tensor<1x8x8x64xi8>, %weights: tensor<3x3x64x128xi8>, %bias: tensor<128xi32>) -> tensor<1x8x8x128xi32> {
  %border = arith.constant -5 : i8
  %f = tensor.empty() : tensor<1x10x10x64xi8>
  %z = linalg.fill ins(%border : i8) outs(%f : tensor<1x10x10x64xi8>) -> tensor<1x10x10x64xi8>
  %p = tensor.insert_slice %image into %z[0, 1, 1, 0] [1, 8, 8, 64] [1, 1, 1, 1] : tensor<1x8x8x64xi8> into tensor<1x10x10x64xi8>
  %e = tensor.empty() : tensor<1x8x8x128xi32>
  %i = linalg.broadcast ins(%bias : tensor<128xi32>) outs(%e : tensor<1x8x8x128xi32>) dimensions = [0, 1, 2]
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %weights : tensor<1x10x10x64xi8>, tensor<3x3x64x128xi8>)
      outs(%i : tensor<1x8x8x128xi32>) -> tensor<1x8x8x128xi32>
  return %0 : tensor<1x8x8x128xi32>
}

// Bytes without sign from which the program subtracts 128 are multiplied as they are, inside a border of 128 - 5.
// CHECK-LABEL: func.func @shifted
// CHECK: linalg.fill ins(%c123_i8{{.*}}) {{.*}} tensor<10x{{[0-9]+}}xi8>
// CHECK-NOT: arith.xori
// CHECK: hexagon.windows
#same = affine_map<(n, y, x, c) -> (n, y, x, c)>
func.func @shifted(%image: tensor<1x8x8x64xi8>, %weights: tensor<3x3x64x128xi8>, %bias: tensor<128xi32>) -> tensor<1x8x8x128xi32> {
  %border = arith.constant -5 : i8
  %first = arith.constant -128 : i8
  %g = tensor.empty() : tensor<1x8x8x64xi8>
  %s = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : tensor<1x8x8x64xi8>) outs(%g : tensor<1x8x8x64xi8>) {
    ^bb0(%x: i8, %old: i8):
      %y = arith.xori %x, %first : i8
      linalg.yield %y : i8
  } -> tensor<1x8x8x64xi8>
  %f = tensor.empty() : tensor<1x10x10x64xi8>
  %z = linalg.fill ins(%border : i8) outs(%f : tensor<1x10x10x64xi8>) -> tensor<1x10x10x64xi8>
  %p = tensor.insert_slice %s into %z[0, 1, 1, 0] [1, 8, 8, 64] [1, 1, 1, 1] : tensor<1x8x8x64xi8> into tensor<1x10x10x64xi8>
  %e = tensor.empty() : tensor<1x8x8x128xi32>
  %i = linalg.broadcast ins(%bias : tensor<128xi32>) outs(%e : tensor<1x8x8x128xi32>) dimensions = [0, 1, 2]
  %0 = linalg.conv_2d_nhwc_hwcf ins(%p, %weights : tensor<1x10x10x64xi8>, tensor<3x3x64x128xi8>)
      outs(%i : tensor<1x8x8x128xi32>) -> tensor<1x8x8x128xi32>
  return %0 : tensor<1x8x8x128xi32>
}
