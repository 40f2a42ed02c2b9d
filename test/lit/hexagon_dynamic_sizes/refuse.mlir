// Arguments without a calling convention.
// RUN: not hexmlir-opt %s --hexagon-dynamic-sizes --split-input-file 2>&1 | filecheck %s

// 1. Rows with gaps.
// CHECK: error: hexagon-dynamic-sizes: a buffer of dynamic size with a layout map
// CHECK: hint: pass a contiguous buffer
func.func @rows(%x: memref<?x4xf32, strided<[8, 1]>>) {
  return
}

// -----
// 2. A caller inside of the module.
// CHECK: error: hexagon-dynamic-sizes: 'callee' takes buffers of dynamic size and is called by another function
func.func private @callee(%x: memref<?xf32>) {
  return
}
func.func @caller(%x: memref<?xf32>) {
  call @callee(%x) : (memref<?xf32>) -> ()
  return
}
