"""f16 numbers as integers of 16 bits: where one instruction converts them, and its values."""

import numpy as np
import pytest
from batch import on_simulator
from text_rewrites import use_native_vectors

CONVERSION = """define void @f(ptr %px, ptr %o) {{
  %x = load <64 x i16>, ptr %px, align 128
  %m = and <64 x i16> %x, splat (i16 {mask})
  %s = call <64 x i16> @llvm.smin.v64i16(<64 x i16> %m, <64 x i16> splat (i16 {limit}))
  %b = add <64 x i16> %s, splat (i16 {offset})
  %h = bitcast <64 x i16> %b to <64 x half>
  %w = fpext <64 x half> %h to <64 x float>
  %i = fptosi <64 x float> %w to <64 x i32>
  %r = trunc <64 x i32> %i to <64 x i16>
  store <64 x i16> %r, ptr %o, align 128
  ret void
}}

declare <64 x i16> @llvm.smin.v64i16(<64 x i16>, <64 x i16>)
"""
CALL = "call <32 x i32> @llvm.hexagon.V6.vconv.h.hf.128B"


@pytest.mark.parametrize(("mask", "limit", "offset", "known"), [
    (32767, 17869, 12288, True), (32767, 30719, 0, True), (32767, 30720, 0, False), (32767, 30719, 1, False),
    (-1, 17869, 12288, False), (32767, 17869, -1, False)])
def test_only_where_the_bits_are_those_of_positive_numbers_below_2_to_15(mask, limit, offset, known):
    """The instruction saturates where the truncation wraps."""
    assert (CALL in use_native_vectors(CONVERSION.format(mask=mask, limit=limit, offset=offset), True)) == known


def test_a_chip_without_the_instruction():
    text = CONVERSION.format(mask=32767, limit=17869, offset=12288)
    assert CALL not in use_native_vectors(text, True, converts=False)


def test_a_negative_number_is_not_converted_by_it():
    text = CONVERSION.format(mask=32767, limit=17869, offset=12288).replace(
        "bitcast <64 x i16> %b", "bitcast <64 x i16> %x")
    assert CALL not in use_native_vectors(text, True)


KERNEL = """func.func @f(%x: tensor<SIZExf16>) -> tensor<SIZExi16> {
  %mask = arith.constant 32767 : i16
  %limit = arith.constant LIMIT : i16
  %e = tensor.empty() : tensor<SIZExi16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]} ins(%x : tensor<SIZExf16>) outs(%e : tensor<SIZExi16>) {
  ^bb0(%a: f16, %o: i16):
    %b = arith.bitcast %a : f16 to i16
    %m = arith.andi %b, %mask : i16
    %s = arith.minsi %m, %limit : i16
    %h = arith.bitcast %s : i16 to f16
    %i = arith.fptosi %h : f16 to i16
    linalg.yield %i : i16
  } -> tensor<SIZExi16>
  return %r : tensor<SIZExi16>
}
"""


@pytest.mark.parametrize(("size", "target", "native"), [
    (1 << 16, "v75", True), (1000, "v75", True), (129, "v79", True), (1000, "v68", False)])
def test_values(size, target, native):
    """Truncated, of every number; NaN and numbers from 2^15 on were limited before."""
    x = np.linspace(0, (1 << 16) - 1, size).astype(np.uint16).view(np.float16)
    call, asm = on_simulator(KERNEL.replace("SIZE", str(size)).replace("LIMIT", str(0x77FF)), target=target)
    out = np.empty(size, np.int16)
    call("f", [x, out])
    limited = np.minimum(x.view(np.uint16) & 0x7FFF, 0x77FF).astype(np.uint16).view(np.float16)
    assert np.array_equal(out, limited.astype(np.int16))
    assert (".hf\n" in asm and ".h = v" in asm and "sf = v" not in asm) or not native
