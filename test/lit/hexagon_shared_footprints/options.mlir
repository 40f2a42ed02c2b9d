// The whole array must fit one thread's share: 256 bytes besides buffers of 128 each, six threads.
// RUN: hexmlir-opt %s --hexagon-shared-footprints=tcm-bytes=4096 | filecheck %s --check-prefix=ROOM
// RUN: hexmlir-opt %s --hexagon-shared-footprints=tcm-bytes=1536 | filecheck %s --check-prefix=NONE
// ROOM: memref.alloc() : memref<64xf32>
// NONE-NOT: memref<64xf32>
func.func @f(%x: memref<1xf32>) {
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2]>>
  %e = memref.alloc() : memref<32xf32>
  memref.copy %a, %e : memref<32xf32, strided<[2]>> to memref<32xf32>
  %b = memref.reinterpret_cast %x to offset: [1], sizes: [32], strides: [2] : memref<1xf32> to memref<32xf32, strided<[2], offset: 1>>
  %o = memref.alloc() : memref<32xf32>
  memref.copy %b, %o : memref<32xf32, strided<[2], offset: 1>> to memref<32xf32>
  return
}
