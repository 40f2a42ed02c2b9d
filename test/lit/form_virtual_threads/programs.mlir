// When programs of a Triton kernel that are not known to be independent run in parallel.
// RUN: hexmlir-opt %s --form-virtual-threads | filecheck %s --check-prefix=NO
// RUN: hexmlir-opt %s --form-virtual-threads=threads=1 | filecheck %s --check-prefix=NO
// RUN: hexmlir-opt %s --form-virtual-threads=threads=2 | filecheck %s --check-prefix=TWO
// RUN: hexmlir-opt %s --form-virtual-threads='threads=2 min-cycles=1' | filecheck %s --check-prefix=SOON

// NO-NOT: .grid
// TWO: func.func @unproven.grid
// TWO: arith.ceildivsi %{{.*}}, %c8
// SOON: func.func @unproven.grid
// SOON: arith.cmpi sge, %{{.*}}, %c2
// TWO-NOT: func.func @ordered.grid
func.func @unproven(%x: memref<1xf32>, %out: memref<1xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32)
    attributes {hexagon.programs = "unproven"} {
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
func.func @ordered(%x: memref<1xf32>, %out: memref<1xf32>, %n: i32, %nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32)
    attributes {hexagon.programs = "ordered"} {
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
