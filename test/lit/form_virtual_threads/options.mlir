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
