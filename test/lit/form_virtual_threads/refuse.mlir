// What one thread does alone, and why.
// RUN: hexmlir-opt %s --form-virtual-threads --split-input-file --verify-diagnostics

func.func @small(%x: tensor<512xf32>, %y: tensor<512xf32>) -> tensor<512xf32> {
  // expected-remark@+1 {{form-virtual-threads: one thread: about 128 cycles do not pay for threads}}
  %0 = linalg.mul ins(%x, %x : tensor<512xf32>, tensor<512xf32>) outs(%y : tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// -----
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-remark@+1 {{form-virtual-threads: one thread: a dynamic size without a bound}}
  %0 = linalg.mul ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
