"""Fixed-point idioms: what is recognised, the instructions it becomes, and the values those give on the simulator."""

import numpy as np
import pytest
from batch import on_simulator
from text_rewrites import use_native_vectors

from hexagon_mlir.codegen.hvx.fixed_point import twice

LANES = 64
PRODUCT = """%aw = sext <64 x i16> {0} to <64 x i32>
%bw = sext <64 x i16> {1} to <64 x i32>
%p = mul <64 x i32> %aw, %bw
%s = add <64 x i32> %p, splat (i32 16384)
%t = ashr <64 x i32> %s, splat (i32 15)
%r = trunc <64 x i32> %t to <64 x i16>"""
MASKED = "%m = and <64 x i16> %x, splat (i16 {mask})"


def rewritten(*lines, element="i16", result="i16"):
    body = "\n".join(f"  {line}" for block in lines for line in block.split("\n"))
    return use_native_vectors(f"""define void @f(ptr %px, ptr %py, ptr %o) {{
  %x = load <64 x {element}>, ptr %px, align 128
  %y = load <64 x {element}>, ptr %py, align 128
{body}
  store <64 x {result}> %r, ptr %o, align 128
  ret void
}}
""", True)


class TestRecognition:
    def test_a_fraction_without_its_sign(self):
        assert ".vmpyhvsrs." in rewritten(MASKED.format(mask=32767), PRODUCT.format("%m", "%y"))

    @pytest.mark.parametrize("lines", [(PRODUCT.format("%x", "%y"),),
                                       (MASKED.format(mask=-32768), PRODUCT.format("%m", "%y"))])
    def test_two_fractions_that_may_both_be_minus_one_stay(self, lines):
        assert ".vmpyhvsrs." not in rewritten(*lines)

    @pytest.mark.parametrize(("first", "offset", "known"), [
        ("shl <64 x i16> %x, splat (i16 1)", -22501, True), ("add <64 x i16> %x, %x", 1, True),
        ("shl <64 x i16> %x, splat (i16 1)", 22502, False), ("shl <64 x i16> %x, splat (i16 0)", 1, False),
        ("add <64 x i16> %x, %y", 1, False)])
    def test_an_odd_number_is_never_minus_one(self, first, offset, known):
        text = rewritten(f"%e = {first}", f"%m = add <64 x i16> %e, splat (i16 {offset})", PRODUCT.format("%m", "%y"))
        assert (".vmpyhvsrs." in text) == known

    def test_a_product_is_never_minus_one(self):
        first = PRODUCT.format("%m", "%y").replace("%r ", "%q ").replace("%aw", "%c").replace("%bw", "%d")
        first = first.replace("%p", "%e").replace("%s", "%g").replace("%t", "%h")
        text = rewritten(MASKED.format(mask=32767), first, PRODUCT.format("%q", "%y"))
        assert text.count("call <32 x i32> @llvm.hexagon.V6.vmpyhvsrs.") == 2

    @pytest.mark.parametrize(("old", "new"), [
        ("16384", "16383"), ("15)", "14)"), ("sext <64 x i16> %m", "zext <64 x i16> %m")])
    def test_another_rounding_shift_or_cast_stays(self, old, new):
        assert ".vmpyhvsrs." not in rewritten(MASKED.format(mask=32767), PRODUCT.format("%m", "%y").replace(old, new))

    @pytest.mark.parametrize(("constant", "fits"), [(-32767, True), (32767, True), (-32768, False), (32768, False)])
    def test_a_constant_factor_comes_from_a_scalar_register(self, constant, fits):
        lines = [line for line in PRODUCT.format("%x", "").split("\n") if "%bw =" not in line]
        text = rewritten("\n".join(lines).replace("%bw", f"splat (i32 {constant})"))
        assert (".vmpyhsrs." in text) == fits

    @pytest.mark.parametrize("amount", [1, 8, 15, 16, 17])
    def test_a_shift_that_narrows(self, amount):
        text = rewritten(f"%w = sext <64 x i16> %x to <64 x i32>\n%t = lshr <64 x i32> %w, splat (i32 {amount})\n"
                         "%r = trunc <64 x i32> %t to <64 x i16>")
        assert (".vasrwh." in text, ".vshufoh." in text) == (amount < 16, amount == 16)

    def test_both_halves_of_a_register(self):
        assert [twice(n) & 0xFFFFFFFF for n in (1, -1, -32768)] == [0x00010001, 0xFFFFFFFF, 0x80008000]
        assert all(-(1 << 31) <= twice(n) < 1 << 31 for n in (1, -1, -32768, 32767))


KERNEL = """func.func @f(%x: tensor<SIZExf16>, %y: tensor<SIZExi16>) -> tensor<SIZExf16> {
  %e = tensor.empty() : tensor<SIZExf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<SIZExf16>, tensor<SIZExi16>) outs(%e : tensor<SIZExf16>) {
  ^bb0(%a: f16, %b: i16, %o: f16):
    %half = arith.constant 16384 : i32
    %fifteen = arith.constant 15 : i32
    %amount = arith.constant AMOUNT : i32
    %mask = arith.constant 32767 : i16
    %number = arith.constant NUMBER : i32
    %wide = arith.extf %a : f16 to f32
    %bits = arith.bitcast %wide : f32 to i32
    %moved = arith.shrui %bits, %amount : i32
    %low = arith.trunci %moved : i32 to i16
    %f = arith.andi %low, %mask : i16
    %fw = arith.extsi %f : i16 to i32
    %bw = arith.extsi %b : i16 to i32
    %p = arith.muli %fw, %bw : i32
    %s = arith.addi %p, %half : i32
    %t = arith.shrsi %s, %fifteen : i32
    %q = arith.trunci %t : i32 to i16
    %qw = arith.extsi %q : i16 to i32
    %qp = arith.muli %qw, %number : i32
    %qs = arith.addi %qp, %half : i32
    %qt = arith.shrsi %qs, %fifteen : i32
    %qn = arith.trunci %qt : i32 to i16
    %u = arith.extsi %qn : i16 to i32
    %multiple = arith.muli %u, %number : i32
    %total = arith.addi %bits, %multiple : i32
    %end = arith.shrsi %total, %amount : i32
    %n = arith.trunci %end : i32 to i16
    %z = arith.bitcast %n : i16 to f16
    linalg.yield %z : f16
  } -> tensor<SIZExf16>
  return %r : tensor<SIZExf16>
}
"""


@pytest.mark.parametrize(("amount", "number", "size", "target"), [
    (8, 128, 1000, "v75"), (15, -32767, 129, "v75"), (16, 32767, 64, "v75"), (8, -3, 500, "v68"), (8, 77, 321, "v79")])
def test_values(amount, number, size, target):
    """Every instruction of this module, with the extremes of 16 bits in both factors."""
    rng = np.random.default_rng(number & 0xFF)
    x = rng.integers(0, 1 << 16, size, dtype=np.uint16).view(np.float16)
    x = np.where(np.isnan(x), np.float16(1.5), x)
    y = rng.choice(np.int16([-32768, -32767, -1, 0, 1, 32767, 12345, -9999]), size)
    call, asm = on_simulator(KERNEL.replace("SIZE", str(size)).replace("AMOUNT", str(amount)).replace(
        "NUMBER", str(number)), target=target)
    out = np.empty(size, np.float16)
    call("f", [x, y, out])
    bits = x.astype(np.float32).view(np.int32).astype(np.int64)
    f = ((bits & 0xFFFFFFFF) >> amount) & 0x7FFF
    q = (f * y + (1 << 14)) >> 15
    q = (q * number + (1 << 14)) >> 15
    q = (q + (1 << 15)) % (1 << 16) - (1 << 15)
    total = ((bits + q * number + (1 << 31)) % (1 << 32) - (1 << 31)) >> amount
    assert np.array_equal(out.view(np.uint16), (total & 0xFFFF).astype(np.uint16))
    assert ":<<1:rnd:sat" in asm and (amount == 16 or ".h = vasr(" in asm)
