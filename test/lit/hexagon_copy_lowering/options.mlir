// The smallest DMA transfer: an option, or what pays on the target.
// RUN: hexmlir-opt %s --hexagon-copy-lowering=dma-bytes=128 --split-input-file | filecheck %s --check-prefix=LOW
// RUN: hexmlir-opt %s --hexagon-copy-lowering=dma-bytes=-1 --split-input-file | filecheck %s --check-prefix=OFF
// RUN: hexmlir-opt %s --hexagon-copy-lowering --target=v68 --split-input-file | filecheck %s --check-prefix=DEFAULT
// RUN: not hexmlir-opt %s --hexagon-copy-lowering=bytes=1 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: hexagon-copy-lowering: unknown option 'bytes'
// BAD-NEXT: hint: options of hexagon-copy-lowering: dma-bytes

// 1. Exactly the limit is large.
// LOW-LABEL: func.func @at_the_limit
// LOW: call @hexmlir_rt_copy_2d
// DEFAULT-LABEL: func.func @at_the_limit
// DEFAULT: linalg.copy
func.func @at_the_limit(%x: memref<32xf32>, %y: memref<32xf32>) {
  memref.copy %x, %y : memref<32xf32> to memref<32xf32>
  return
}

// -----
// 2. One element less is small.
// LOW-LABEL: func.func @below
// LOW: linalg.copy
func.func @below(%x: memref<31xf32>, %y: memref<31xf32>) {
  memref.copy %x, %y : memref<31xf32> to memref<31xf32>
  return
}

// -----
// 3. Without DMA even a megabyte is copied by the core.
// OFF-LABEL: func.func @megabyte
// OFF-NOT: call
// OFF: linalg.copy
// DEFAULT-LABEL: func.func @megabyte
// DEFAULT: call @hexmlir_rt_copy_2d
func.func @megabyte(%x: memref<1048576xi8>, %y: memref<1048576xi8>) {
  memref.copy %x, %y : memref<1048576xi8> to memref<1048576xi8>
  return
}
