// Programs of a Triton kernel that may run in parallel share the TCM; 8 KiB here, two buffers of 4 KiB.
// RUN: hexmlir-opt %s --hexagon-tcm-placement=tcm-bytes=65536 | filecheck %s --check-prefix=SHARE
// RUN: hexmlir-opt %s --hexagon-tcm-placement='tcm-bytes=65536 threads=8' | filecheck %s --check-prefix=SHARE
// RUN: hexmlir-opt %s --hexagon-tcm-placement='tcm-bytes=16384 threads=4' --remarks 2>&1 | filecheck %s --check-prefix=WHOLE
// RUN: hexmlir-opt %s --hexagon-tcm-placement='tcm-bytes=16384 threads=1' | filecheck %s --check-prefix=SHARE
// RUN: sed s/independent/sometimes/ %s | not hexmlir-opt - --hexagon-tcm-placement 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: hexagon-tcm-placement: hexagon.programs is sometimes

// SHARE: hexagon.programs = "independent"
// SHARE: memref.alloc() : memref<1024xf32, 1>
// One that needs more than its share has the TCM for itself: its programs stay in order.
// WHOLE: programs run one after another: one takes 8192 bytes of TCM, its share of 16384 is 4096
// WHOLE-NOT: hexagon.programs
// WHOLE: memref.alloc() : memref<1024xf32, 1>
func.func @squares(%x: memref<1xf32>, %out: memref<1xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32)
    attributes {hexagon.programs = "independent"} {
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %i, %c1024 : i32
  %at = arith.index_cast %start : i32 to index
  %buffer = memref.alloc() : memref<1024xf32>
  %source = memref.reinterpret_cast %x to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  memref.copy %source, %buffer : memref<1024xf32, strided<[1], offset: ?>> to memref<1024xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<1024xf32> to tensor<1024xf32>
  %e = tensor.empty() : tensor<1024xf32>
  %w = linalg.mul ins(%v, %v : tensor<1024xf32>, tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %target = memref.reinterpret_cast %out to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %w in restrict writable %target : (tensor<1024xf32>, memref<1024xf32, strided<[1], offset: ?>>) -> ()
  return
}
