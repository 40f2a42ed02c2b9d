// Ops that stay on one thread, and why.
// RUN: hexmlir-opt %s --form-virtual-threads --split-input-file --verify-diagnostics

func.func @small(%x: tensor<512xf32>, %y: tensor<512xf32>) -> tensor<512xf32> {
  // expected-remark@+1 {{form-virtual-threads: one thread: about 128 cycles do not pay for threads}}
  %0 = linalg.mul ins(%x, %x : tensor<512xf32>, tensor<512xf32>) outs(%y : tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// -----
func.func @not_seen(%x: tensor<?xf32>, %c: i1) -> f32 {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %y = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  // expected-remark@+1 {{form-virtual-threads: one thread: a loop that indexes no operand, or of a dynamic size that is not seen}}
  %0 = linalg.reduce { arith.addf } ins(%y : tensor<?xf32>) outs(%e : tensor<f32>) dimensions = [0]
  %1 = tensor.extract %0[] : tensor<f32>
  return %1 : f32
}

// -----
// Programs that are not known to be independent run in parallel only if the user asks for it.
// expected-remark@+1 {{programs run one after another: they are not known to be independent; threads=N runs them in parallel}}
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
  // expected-remark@+1 {{one thread}}
  %w = linalg.mul ins(%v, %v : tensor<1024xf32>, tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %target = memref.reinterpret_cast %out to offset: [%at], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %w in restrict writable %target : (tensor<1024xf32>, memref<1024xf32, strided<[1], offset: ?>>) -> ()
  return
}

// -----
// expected-error@+1 {{hexagon.programs is sometimes}}
func.func @sometimes(%nx: i32, %ny: i32, %nz: i32, %i: i32, %j: i32, %k: i32) attributes {hexagon.programs = "sometimes"} {
  return
}

// -----
// expected-error@+1 {{hexagon.programs on a function whose last 6 arguments are not i32}}
func.func @no_programs(%x: f32) attributes {hexagon.programs = "independent"} {
  return
}

// -----
// The old value is not combined with the new one but replaced by a function of both: it cannot be split.
func.func @decay(%x: tensor<1048576xf32>, %o: tensor<f32>) -> tensor<f32> {
  // expected-remark@+1 {{form-virtual-threads: one thread: about 196608 cycles do not pay for threads}}
  %s = linalg.reduce ins(%x : tensor<1048576xf32>) outs(%o : tensor<f32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %h = arith.mulf %out, %out : f32
      %b = arith.addf %in, %h : f32
      linalg.yield %b : f32
    }
  return %s : tensor<f32>
}

// -----
// The frame of a padded image: most of it will be overwritten.
func.func @frame(%x: tensor<126x4096xf32>, %y: tensor<128x4160xf32>, %c: f32) -> tensor<128x4160xf32> {
  // expected-remark@+1 {{form-virtual-threads: one thread: only the border around the inserted slice will be filled}}
  %0 = linalg.fill ins(%c : f32) outs(%y : tensor<128x4160xf32>) -> tensor<128x4160xf32>
  %1 = tensor.insert_slice %x into %0[1, 32] [126, 4096] [1, 1] : tensor<126x4096xf32> into tensor<128x4160xf32>
  return %1 : tensor<128x4160xf32>
}
