// RUN: hexmlir-opt %s --triton-to-linalg --split-input-file --verify-diagnostics

// An operation outside of what is translated.
"tt.func"() <{function_type = (f32) -> (), sym_name = "assembly"}> ({
^bb0(%x: f32):
  // expected-error @+1 {{triton-to-linalg: tt.elementwise_inline_asm: assembly of another machine}}
  %d = "tt.elementwise_inline_asm"(%x) <{asm_string = "mov"}> : (f32) -> f32
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// A kernel that returns a value.
"tt.func"() <{function_type = (i32) -> i32, sym_name = "returns"}> ({
^bb0(%x: i32):
  // expected-error @+1 {{a kernel that returns a value}}
  "tt.return"(%x) : (i32) -> ()
}) : () -> ()

// -----

// A pointer to pointers.
// expected-error @+1 {{argument or value of type !tt.ptr<!tt.ptr<f32>>}}
"tt.func"() <{function_type = (!tt.ptr<!tt.ptr<f32>>) -> (), sym_name = "indirect"}> ({
^bb0(%x: !tt.ptr<!tt.ptr<f32>>):
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// An 8-bit float of another kind.
// expected-error @+1 {{argument or value of element type f8E4M3B11FNUZ}}
"tt.func"() <{function_type = (f8E4M3B11FNUZ) -> (), sym_name = "small_float"}> ({
^bb0(%x: f8E4M3B11FNUZ):
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// Pointers with offsets, cast to pointers to wider elements.
"tt.func"() <{function_type = (!tt.ptr<f32>) -> (), sym_name = "wider"}> ({
^bb0(%x: !tt.ptr<f32>):
  %i = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  %p = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
  %q = "tt.addptr"(%p, %i) : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> tensor<8x!tt.ptr<f32>>
  // expected-error @+1 {{a tensor of pointers to f32 used as pointers to i64}}
  %s = "tt.bitcast"(%q) : (tensor<8x!tt.ptr<f32>>) -> tensor<8x!tt.ptr<i64>>
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// Malformed input: an attribute is missing.
"tt.func"() <{function_type = () -> (), sym_name = "no_axis"}> ({
  // expected-error @+1 {{tt.get_program_id: malformed operation}}
  %p = "tt.get_program_id"() : () -> i32
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// Malformed input: a result that does not fit.
"tt.func"() <{function_type = (i32) -> (), sym_name = "bad_splat"}> ({
^bb0(%x: i32):
  %i = "tt.make_range"() <{start = 0 : i32, end = 8 : i32}> : () -> tensor<8xi32>
  // expected-error @+1 {{tt.expand_dims: malformed operation: result type tensor<8x2xi32> does not fit the operands}}
  %j = "tt.expand_dims"(%i) <{axis = 1 : i32}> : (tensor<8xi32>) -> tensor<8x2xi32>
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// Branches between blocks that form a loop.
"tt.func"() <{function_type = (!tt.ptr<f32>, i1) -> (), sym_name = "endless"}> ({
^bb0(%x: !tt.ptr<f32>, %c: i1):
  "cf.br"()[^bb1] : () -> ()
^bb1:
  // expected-error @+1 {{control flow that is a loop}}
  %one = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
  "tt.store"(%x, %one) : (!tt.ptr<f32>, f32) -> ()
  "cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb2:
  "tt.return"() : () -> ()
}) : () -> ()
