// The number of threads, and the least work to spread.
// RUN: hexmlir-opt %s --form-virtual-threads=threads=7 | filecheck %s --check-prefix=SEVEN
// RUN: hexmlir-opt %s --form-virtual-threads=threads=1 | filecheck %s --check-prefix=ONE
// RUN: hexmlir-opt %s --form-virtual-threads=min-cycles=1000000 | filecheck %s --check-prefix=ONE
// RUN: hexmlir-opt %s --form-virtual-threads --target=v79 | filecheck %s --check-prefix=V79
// RUN: not hexmlir-opt %s --form-virtual-threads=threads=-1 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: form-virtual-threads: threads=-1

// SEVEN: scf.forall (%{{.*}}) = (0) to (100003) step (14304)
// ONE-NOT: scf.forall
// ONE: linalg.mul
// V79: scf.forall (%{{.*}}) = (0) to (100003) step (16672)
func.func @squares(%x: tensor<100003xf32>, %y: tensor<100003xf32>) -> tensor<100003xf32> {
  %0 = linalg.mul ins(%x, %x : tensor<100003xf32>, tensor<100003xf32>) outs(%y : tensor<100003xf32>)
      -> tensor<100003xf32>
  return %0 : tensor<100003xf32>
}

// Six threads: tiles are cut along their rows, never inside the 32 columns that fill a vector with another tile's.
// V79-LABEL: func.func @tiles
// V79: scf.forall (%{{.*}}) = (0) to (96) step (16) shared_outs
func.func @tiles(%x: tensor<3x96x2x3x32xf16>, %y: tensor<3x3x96x32x2xf16>, %u: tensor<3x96x2x3x32xf16>, %v: tensor<3x3x96x32x2xf16>)
    -> (tensor<3x3x96x32x2xf16>, tensor<3x3x96x32x2xf16>) {
  %0 = linalg.transpose ins(%x : tensor<3x96x2x3x32xf16>) outs(%y : tensor<3x3x96x32x2xf16>) permutation = [0, 3, 1, 4, 2]
  %1 = linalg.transpose ins(%u : tensor<3x96x2x3x32xf16>) outs(%v : tensor<3x3x96x32x2xf16>) permutation = [3, 0, 1, 4, 2]
  return %0, %1 : tensor<3x3x96x32x2xf16>, tensor<3x3x96x32x2xf16>
}

// A vector of halves has 64 elements, sums of f32 or not: 256 columns are four vectors, too few for six threads, which share rows.
// V79-LABEL: func.func @halves
// V79: scf.forall (%{{.*}}) = (0) to (34) step (6)
func.func @halves(%a: tensor<34x64xf16>, %b: tensor<64x256xf16>, %c: tensor<34x256xf32>) -> tensor<34x256xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<34x64xf16>, tensor<64x256xf16>) outs(%c : tensor<34x256xf32>) -> tensor<34x256xf32>
  return %0 : tensor<34x256xf32>
}
