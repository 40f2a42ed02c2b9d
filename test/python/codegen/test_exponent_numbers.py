"""`exponent_numbers`: which integers become floats by a conversion, and what becomes of their factors."""

from __future__ import annotations

import numpy as np
import pytest
from text_rewrites import small_integers_as_conversions

import hexagon_mlir as hx

V, F = "<32 x i32>", "<32 x float>"
MAGIC = f"""  %m = add {V} %n, splat (i32 1262485504)
  %b = bitcast {V} %m to {F}
  %r = fsub {F} %b, splat (float 0x4168000000000000)"""


def rewritten(number: str, *users: str) -> str:
    text = "\n".join([f"define {F} @f({V} %x, <32 x i16> %s, {F} %y) {{", number, MAGIC, *users, f"  ret {F} %p", "}"])
    return small_integers_as_conversions(text)


FIELD = f"  %a = and {V} %x, splat (i32 -8388608)\n  %n = ashr {V} %a, splat (i32 23)"
PRODUCT = f"  %p = fmul {F} %r, splat (float 0x3FE6300000000000)"


def test_an_exponent_stays_in_its_field_where_constants_multiply_it():
    text = rewritten(FIELD, PRODUCT)
    assert f"%r = sitofp {V} %a to {F}" in text
    assert f"%p = fmul {F} %r, splat (float 0x3E76300000000000)" in text  # times 2^-23


@pytest.mark.parametrize("users", [
    (f"  %p = fsub {F} %y, %r",),
    (PRODUCT.replace("%p", "%q"), f"  %p = fadd {F} %q, %r"),
    (f"  %p = fmul {F} %r, %y",),
    (f"  %p = fmul {F} %r, splat (float 0x3860000000000000)",)])  # 2^-121: 2^-144 is no normal number
def test_every_other_use_wants_the_number_itself(users):
    text = rewritten(FIELD, *users)
    assert f"%r = sitofp {V} %n to {F}" in text
    assert all(user in text for user in users)


@pytest.mark.parametrize("number", [f"  %n = sext <32 x i16> %s to {V}", f"  %n = zext <32 x i16> %s to {V}",
                                    f"  %n = ashr {V} %x, splat (i32 10)", f"  %n = lshr {V} %x, splat (i32 11)"])
def test_numbers_of_few_bits_are_converted(number):
    assert f"%r = sitofp {V} %n to {F}" in rewritten(number, PRODUCT)


@pytest.mark.parametrize("number", [f"  %n = add {V} %x, %x", f"  %n = ashr {V} %x, splat (i32 9)",
                                    f"  %n = lshr {V} %x, splat (i32 10)", f"  %n = ashr {V} %x, %x"])
def test_numbers_that_may_be_larger_stay_as_they_are(number):
    assert "sitofp" not in rewritten(number, PRODUCT)


@pytest.mark.parametrize(("target", "converts"), [("v68", False), ("v73", True), ("v75", True), ("v79", True)])
def test_chips_that_convert_do(target, converts):
    kernel = hx.compile("""func.func @f(%x: tensor<256xi16>) -> tensor<256xf32> {
      %e = tensor.empty() : tensor<256xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} ins(%x : tensor<256xi16>) outs(%e : tensor<256xf32>) {
      ^bb0(%a: i16, %o: f32):
        %1 = arith.sitofp %a : i16 to f32
        linalg.yield %1 : f32
      } -> tensor<256xf32>
      return %0 : tensor<256xf32>
    }""", target=target)
    assert (".sf = v" in kernel.asm and ".w" in kernel.asm.split(".sf = v")[1].split("\n")[0]) == converts
    x = np.linspace(-32768, 32767, 256).astype(np.int16)
    np.testing.assert_array_equal(kernel.run(x).outputs[0], x.astype(np.float32))
