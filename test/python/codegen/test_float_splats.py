"""Floats that all lanes hold: LLVM IR text before and after, and the code it becomes."""

import re

import numpy as np
import pytest
from text_rewrites import float_splats_as_words

import hexagon_mlir as hx

TEXT = """define void @f(float %x) {{
entry:
  %v = insertelement <32 x float> poison, float {value}, i64 0{debug}
  {name} = bitcast <32 x float> %v to <32 x i32>{debug}
  %s = shufflevector <32 x i32> {name}, <32 x i32> poison, <32 x i32> zeroinitializer
  ret void
}}
"""


def text(value="%x", name="%w", debug=""):
    return TEXT.format(value=value, name=name, debug=debug)


def test_words_are_put_into_vectors():
    for source in (text(), text(debug=", !dbg !7")):
        got = float_splats_as_words(source).splitlines()
        assert got[3:5] == ["  %word.w = bitcast float %x to i32",
                            "  %w = insertelement <32 x i32> poison, i32 %word.w, i64 0"]
        assert got[:3] + got[5:] == source.splitlines()[:3] + source.splitlines()[4:]
    assert "%word.n3 = bitcast float 0x3FF8000000000000 to i32" in float_splats_as_words(
        text("0x3FF8000000000000", "%3"))
    assert "%word.n.0 = bitcast float %x to i32" in float_splats_as_words(text(name='%"a b"'))


def test_each_function_has_its_own_names():
    other = "define void @g(<32 x float> %v) {\n  %w = bitcast <32 x float> %v to <32 x i32>\n  ret void\n}\n"
    assert float_splats_as_words(text() + other).endswith(other)
    assert float_splats_as_words(text() + text("%y")).count("bitcast float %y to i32") == 1


def test_what_is_no_splat_stays():
    for source in (text().replace("i64 0", "i64 3"), text().replace("poison, float", "%p, float")):
        assert float_splats_as_words(source) == source
    assert float_splats_as_words("") == ""


@pytest.mark.ieee_arithmetic
def test_rows_of_sums_are_not_permuted():
    """The largest of a row's element and a column's, over rows: the element is in all lanes."""
    kernel = hx.compile("""func.func @f(%s: tensor<32xf32>, %t: tensor<32x32xf32>) -> tensor<32xf32> {
      %least = arith.constant 0xFF800000 : f32
      %empty = tensor.empty() : tensor<32xf32>
      %start = linalg.fill ins(%least : f32) outs(%empty : tensor<32xf32>) -> tensor<32xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(a,b)->(a)>, affine_map<(a,b)->(a,b)>, affine_map<(a,b)->(b)>],
          iterator_types = ["reduction","parallel"]}
          ins(%s, %t : tensor<32xf32>, tensor<32x32xf32>) outs(%start : tensor<32xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %a = arith.addf %x, %y : f32
        %m = arith.maximumf %a, %o : f32
        linalg.yield %m : f32
      } -> tensor<32xf32>
      return %r : tensor<32xf32>
    }""")
    assert not re.search(r"\bvdelta\b", kernel.asm)
    s, t = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) for shape in ((32,), (32, 32)))
    s[3], s[7] = -np.inf, 100.0
    np.testing.assert_array_equal(kernel.run(s, t).outputs[0], (s[:, None] + t).max(0))
