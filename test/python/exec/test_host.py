"""`run_on_host`: tensors, buffers, vectors and the llvm dialect, the runtime's functions, and refusals."""

import ml_dtypes
import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.exec.host import run_on_host
from hexagon_mlir.exec.host_lowering import lower
from hexagon_mlir.exec.host_wide import apart
from hexagon_mlir.ir import HexError, parse
from hexagon_mlir.pass_infra import UpstreamStep


def run(text, args, entry="f", grid=None):
    return run_on_host(parse(text), entry, args, grid)


def test_tensors_come_back_as_new_arrays():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    result, = run("""
      func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
        %e = tensor.empty() : tensor<3x2xf32>
        %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
        return %t : tensor<3x2xf32>
      }""", [x])
    np.testing.assert_array_equal(result, x.T)


def test_a_tensor_argument_is_not_written():
    x = np.ones(4, np.float32)
    run("""
      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
        %c = arith.constant 5.0 : f32
        %t = linalg.fill ins(%c : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
        return %t : tensor<4xf32>
      }""", [x])
    assert (x == 1).all()


def test_buffers_are_written_in_place_and_results_are_scalars():
    x = np.array([1.0, 2.0], np.float32)
    total, = run("""
      func.func @f(%x: memref<2xf32>, %s: f32, %i: i64) -> f64 {
        %i0 = arith.index_cast %i : i64 to index
        memref.store %s, %x[%i0] : memref<2xf32>
        %d = arith.extf %s : f32 to f64
        return %d : f64
      }""", [x, 2.5, 1])
    assert x.tolist() == [1.0, 2.5]
    assert total == 2.5


@pytest.mark.parametrize(("name", "dtype"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("i8", np.int8),
                                             ("i1", np.bool_), ("i64", np.int64), ("f64", np.float64)])
def test_types(name, dtype):
    x = np.array([0, 1, 1, 0]).astype(dtype)
    add = "arith.addf" if name.endswith(("f16", "f64")) else "arith.addi"
    result, = run(f"""
      #map = affine_map<(d0) -> (d0)>
      func.func @f(%x: tensor<4x{name}>) -> tensor<4x{name}> {{
        %e = tensor.empty() : tensor<4x{name}>
        %r = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}}
            ins(%x : tensor<4x{name}>) outs(%e : tensor<4x{name}>) {{
        ^bb0(%a: {name}, %b: {name}):
          %s = {add} %a, %a : {name}
          linalg.yield %s : {name}
        }} -> tensor<4x{name}>
        return %r : tensor<4x{name}>
      }}""", [x])
    expected = [0, 0, 0, 0] if name == "i1" else [0, 2, 2, 0]
    assert result.dtype == dtype
    assert result.astype(np.float64).tolist() == expected


def test_grid_runs_x_fastest():
    order = np.zeros(12, np.int32)
    run("""
      func.func @f(%out: memref<1xi32>, %nx: i32, %ny: i32, %nz: i32, %x: i32, %y: i32, %z: i32) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : i32
        %c100 = arith.constant 100 : i32
        %c10 = arith.constant 10 : i32
        %n = memref.load %out[%c0] : memref<1xi32>
        %n1 = arith.addi %n, %c1 : i32
        memref.store %n1, %out[%c0] : memref<1xi32>
        %at = arith.index_cast %n1 : i32 to index
        %zz = arith.muli %z, %c100 : i32
        %yy = arith.muli %y, %c10 : i32
        %a = arith.addi %zz, %yy : i32
        %b = arith.addi %a, %x : i32
        %v = memref.reinterpret_cast %out to offset: [%at], sizes: [1], strides: [1]
            : memref<1xi32> to memref<1xi32, strided<[1], offset: ?>>
        memref.store %b, %v[%c0] : memref<1xi32, strided<[1], offset: ?>>
        return
      }""", [order], grid=(2, 2, 2))
    assert order[:9].tolist() == [8, 0, 1, 10, 11, 100, 101, 110, 111]


RUNTIME = """
  llvm.func @hexmlir_rt_tcm_alloc(i32, i32) -> !llvm.ptr
  llvm.func @hexmlir_rt_tcm_free(!llvm.ptr)
  llvm.func @hexmlir_rt_copy_2d(!llvm.ptr, !llvm.ptr, i32, i32, i32, i32)
  llvm.func @f(%dst: !llvm.ptr, %src: !llvm.ptr) {
    %c8 = llvm.mlir.constant(8 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %size = llvm.mlir.constant(1024 : i32) : i32
    %t = llvm.call @hexmlir_rt_tcm_alloc(%size, %c16) : (i32, i32) -> !llvm.ptr
    llvm.call @hexmlir_rt_copy_2d(%t, %src, %c8, %c2, %c8, %c16) : (!llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()
    %narrow = llvm.ptrtoint %t : !llvm.ptr to i32
    %wide = llvm.inttoptr %narrow : i32 to !llvm.ptr
    llvm.call @hexmlir_rt_copy_2d(%dst, %wide, %c16, %c2, %c16, %c16)
        : (!llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()
    llvm.call @hexmlir_rt_tcm_free(%t) : (!llvm.ptr) -> ()
    llvm.return
  }
"""


def test_runtime_functions_and_32_bit_pointers_in_the_llvm_dialect():
    src, dst = np.arange(8, dtype=np.int32), np.full(8, 9, np.int32)
    run(RUNTIME, [dst, src])
    assert dst[:4].tolist() == [0, 1, 4, 5]


def test_after_each_upstream_stage():
    text = """
      func.func @f(%x: tensor<40xf32>) -> tensor<40xf32> {
        %0 = math.tanh %x : tensor<40xf32>
        %1 = math.rsqrt %0 : tensor<40xf32>
        return %1 : tensor<40xf32>
      }"""
    x = np.linspace(0.1, 3, 40, dtype=np.float32)
    module = parse(text)
    stages = ["convert-elementwise-to-linalg", "linalg-fuse-elementwise-ops",
              "one-shot-bufferize{bufferize-function-boundaries=1 "
              "function-boundary-type-conversion=identity-layout-map}", "convert-linalg-to-loops", "lower-affine"]
    for stage in stages:
        UpstreamStep(stage).run(module, None)
        if stage.startswith(("convert-elem", "linalg-fuse")):
            result, = run_on_host(module, "f", [x])
            np.testing.assert_allclose(result, 1 / np.sqrt(np.tanh(x)), rtol=1e-6)


def test_wide_shuffles_are_functions_that_are_called():
    turned, both = list(range(63, -1, -1)), [n + 64 * (n % 2) for n in range(64)]
    text = f"""func.func @f(%m: memref<64xi8>) {{
        %c0 = arith.constant 0 : index
        %v = vector.load %m[%c0] : memref<64xi8>, vector<64xi8>
        %a = vector.shuffle %v, %v {turned} : vector<64xi8>, vector<64xi8>
        %b = vector.shuffle %v, %a {both} : vector<64xi8>, vector<64xi8>
        %c = vector.shuffle %b, %a {both} : vector<64xi8>, vector<64xi8>
        vector.store %c, %m[%c0] : memref<64xi8>, vector<64xi8>
        return
      }}"""
    program = lower(parse(text), "f")
    made = apart(program.llvm_ir)
    assert made.count("shufflevector") == made.count("define internal <64 x i8>") == 2
    assert made.count("call <64 x i8>") == 3
    m = np.arange(64, dtype=np.int8)
    run(text, [m])
    assert m.tolist() == [63 - n if n % 2 else n for n in range(64)]


def test_few_lanes_of_many_are_apart_too():
    """Every fourth of 128 lanes; those of 16 stay."""
    def every_fourth(lanes):
        mask = ", ".join(f"i32 {k}" for k in range(0, lanes, 4))
        given, made = f"<{lanes} x i32>", f"<{lanes // 4} x i32>"
        return (f"define {made} @f({given} %a) {{\n  %r = shufflevector {given} %a, {given} poison, {made} <{mask}>\n"
                f"  ret {made} %r\n}}\n")

    assert apart(every_fourth(16)) == every_fourth(16)
    made = apart(every_fourth(128))
    assert "%r = call <32 x i32> @hexmlir.wide.0(<128 x i32> %a, <128 x i32> poison)" in made
    assert made.count("define internal <32 x i32> @hexmlir.wide.0(") == made.count("shufflevector") == 1


def test_wide_masked_accesses_and_fused_products_are_apart():
    """One function for equal masks; masks that are computed are given as integers. Lanes left out are not touched."""
    some = str([lane < 50 for lane in range(64)]).lower()
    text = f"""func.func @f(%x: memref<70xf16>, %y: memref<70xf16>, %count: i32) {{
      %i = arith.constant 3 : index
      %n = arith.constant 5 : index
      %none = arith.constant dense<1.0> : vector<64xf16>
      %some = arith.constant dense<{some}> : vector<64xi1>
      %lanes = arith.constant dense<{list(range(64))}> : vector<64xi32>
      %counts = vector.broadcast %count : i32 to vector<64xi32>
      %first = arith.cmpi slt, %lanes, %counts : vector<64xi32>
      %a = vector.maskedload %x[%i], %some, %none : memref<70xf16>, vector<64xi1>, vector<64xf16> into vector<64xf16>
      %b = vector.maskedload %x[%n], %some, %none : memref<70xf16>, vector<64xi1>, vector<64xf16> into vector<64xf16>
      %c = vector.maskedload %x[%i], %first, %none : memref<70xf16>, vector<64xi1>, vector<64xf16> into vector<64xf16>
      %d = math.fma %a, %b, %c : vector<64xf16>
      vector.maskedstore %y[%i], %first, %d : memref<70xf16>, vector<64xi1>, vector<64xf16>
      return
    }}"""
    made = apart(lower(parse(text), "f").llvm_ir)
    assert made.count("define internal <64 x half> @hexmlir.wide.") == 3
    assert made.count("define internal void @hexmlir.wide.") == 1 and made.count("bitcast i64 %a") == 2
    x = np.random.default_rng(0).normal(size=70).astype(np.float16)
    y, count = np.full(70, 7, np.float16), 60
    expected, left, right, third = y.copy(), *np.ones((3, 64))
    left[:50], right[:50], third[:count] = x[3:53], x[5:55], x[3:3 + count]
    expected[3:3 + count] = (left * right + third).astype(np.float16)[:count]
    run(text, [x, y, count])
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(("text", "args", "message"), [
    ("func.func @g() { return }", [], "no function 'f'"),
    ("func.func @f(%x: i32) { return }", [], "takes 1 arguments, 0 given"),
    ("func.func @f(%x: tensor<?xf32>) { return }", [np.zeros(3, np.float32)], "dynamic shape"),
    ("func.func @f(%x: memref<4xf32>) { return }", [np.zeros(3, np.float32)], "does not match"),
    ("func.func @f(%x: memref<4xf32>) { return }", [np.zeros(4, np.float64)], "does not match an array of float64"),
    ("func.func @f(%x: memref<4xf32>) { return }", [np.zeros(8, np.float32)[::2]], "strided"),
    ("func.func @f(%x: memref<4xf32>) { return }", [3], "needs an array"),
    ("func.func private @mystery()\nfunc.func @f() { call @mystery() : () -> () return }", [],
     "'mystery' is not defined"),
    ("func.func @f() { \"some.op\"() : () -> () return }", [], "has no LLVM form"),
])
def test_refusals(text, args, message):
    with pytest.raises(HexError, match=message):
        run(text, args)


def test_doubles_are_narrowed_to_halves_once():
    """On the host, and by the function that the chip calls; twice would give 1 for the first number."""
    text = ("func.func @f(%x: tensor<5xf64>) -> tensor<5xf16> {\n"
            "  %r = arith.truncf %x : tensor<5xf64> to tensor<5xf16>\n  return %r : tensor<5xf16>\n}\n")
    x = np.array([1 + 2.0 ** -11 + 2.0 ** -40, 1e-7, 65519.999, -3.25, np.nan])
    for found in (run(text, [x])[0], hx.compile(text).run(x).outputs[0]):
        np.testing.assert_array_equal(found, x.astype(np.float16))
