// Input of the wrong level.
// RUN: hexmlir-opt %s --form-async-threads --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{form-async-threads: scf.forall gives tensors}}
  %r = scf.forall (%i) in (8) shared_outs(%o = %x) -> tensor<8xf32> {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----
// expected-error@below {{form-async-threads: hexagon.may_fork on an argument of type i32}}
module {
  func.func @number(%x: memref<8xf32>, %v: f32, %may: i32 {hexagon.may_fork}) {
    scf.forall (%i) in (8) {
      memref.store %v, %x[%i] : memref<8xf32>
    }
    return
  }
}

// -----
func.func @no_limit(%x: memref<8xf32>, %v: f32) {
  // expected-error@+1 {{form-async-threads: hexagon.most_tasks is 0}}
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {hexagon.most_tasks = 0 : i64}
  return
}

// -----
func.func @no_end(%x: memref<8xf32>, %v: f32) {
  // expected-error@+1 {{form-async-threads: a step below 1}}
  scf.forall (%i) = (0) to (8) step (0) {
    memref.store %v, %x[%i] : memref<8xf32>
  }
  return
}

// -----
func.func @no_cycles(%x: memref<8xf32>, %v: f32) {
  // expected-error@+1 {{form-async-threads: hexagon.iteration_cycles is 0}}
  scf.forall (%i) in (8) {
    memref.store %v, %x[%i] : memref<8xf32>
  } {hexagon.iteration_cycles = 0 : i64}
  return
}
