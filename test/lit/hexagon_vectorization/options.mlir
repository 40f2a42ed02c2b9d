// Vectors per iteration: set by the option, or chosen by the size of the body.
// RUN: hexmlir-opt %s --hexagon-vectorization=unroll=1 | filecheck %s --check-prefix=ONE
// RUN: hexmlir-opt %s --hexagon-vectorization=unroll=8 | filecheck %s --check-prefix=EIGHT
// RUN: hexmlir-opt %s --hexagon-vectorization | filecheck %s --check-prefix=CHOSEN
// RUN: not hexmlir-opt %s --hexagon-vectorization=unroll=two 2>&1 | filecheck %s --check-prefix=BAD
// RUN: not hexmlir-opt %s --hexagon-vectorization=lanes=3 2>&1 | filecheck %s --check-prefix=UNKNOWN
// BAD: error: hexagon-vectorization: option 'unroll': 'two' is not an integer
// UNKNOWN: error: hexagon-vectorization: unknown option 'lanes'
// UNKNOWN-NEXT: hint: options of hexagon-vectorization: unroll

// ONE-LABEL: func.func @f
// ONE: scf.for %{{.*}} = %c0 to %c32 step
// ONE: vector<32xf32>
// ONE-NOT: vector<64xf32>
// EIGHT-LABEL: func.func @f
// EIGHT: scf.for %{{.*}} = %c0 to %c4 step
// EIGHT: vector<256xf32>
// CHOSEN-LABEL: func.func @f
// CHOSEN: scf.for %{{.*}} = %c0 to %c4 step
// CHOSEN: vector<256xf32>
func.func @f(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  linalg.mul ins(%x, %x : memref<1024xf32>, memref<1024xf32>) outs(%y : memref<1024xf32>)
  return
}
