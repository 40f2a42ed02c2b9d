"""Integers clamped to the range of a narrower one: one saturating pack, with the clamp's values."""

import re

import numpy as np
import pytest

import hexagon_mlir as hx

KERNEL = """
func.func @f(%x: tensor<{n}x{wide}>, %y: tensor<{n}x{narrow}>, %out: tensor<{n}x{narrow}>) -> tensor<{n}x{narrow}> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                        iterator_types = ["parallel"]}}
      ins(%x, %y : tensor<{n}x{wide}>, tensor<{n}x{narrow}>) outs(%out : tensor<{n}x{narrow}>) {{
  ^bb0(%a: {wide}, %b: {narrow}, %o: {narrow}):
    %low = arith.constant {low} : {compute}
    %high = arith.constant {high} : {compute}
    {sum}
    %c = arith.maxsi %s, %low : {compute}
    %d = arith.minsi %c, %high : {compute}
    %i = arith.trunci %d : {compute} to {narrow}
    linalg.yield %i : {narrow}
  }} -> tensor<{n}x{narrow}>
  return %r : tensor<{n}x{narrow}>
}}
"""
SUM = "%e = arith.extsi %b : {narrow} to {wide}\n %s = arith.addi %a, %e : {wide}"
ALONE = "%two = arith.constant 2 : {wide}\n %s = arith.muli %a, %two : {wide}"  # lanes in memory order
# lanes as widening leaves them
TWICE = "%e = arith.extsi %b : {narrow} to i16\n %g = arith.extsi %a : {wide} to i16\n %s = arith.addi %e, %g : i16"


def kernel(n: int, wide: str, narrow: str, low: int, high: int, text: str, compute: str = "") -> str:
    """Clamp a sum (`SUM`, `TWICE`) or a double (`ALONE`) of type ``compute`` to low..high."""
    return KERNEL.format(n=n, wide=wide, narrow=narrow, low=low, high=high, compute=compute or wide,
                         sum=text.format(wide=wide, narrow=narrow))


@pytest.mark.parametrize(("wide", "narrow", "low", "high", "text"), [
    ("i16", "i8", -128, 127, ALONE), ("i16", "i8", 0, 255, ALONE), ("i32", "i8", -128, 127, ALONE),
    ("i32", "i8", 0, 255, ALONE), ("i32", "i16", -32768, 32767, ALONE), ("i32", "i16", 0, 65535, ALONE),
    ("i16", "i8", -100, 127, ALONE), ("i16", "i8", -128, 127, SUM), ("i16", "i8", 0, 255, SUM),
    ("i32", "i16", -32768, 32767, SUM), ("i32", "i8", -128, 127, SUM), ("i32", "i8", 0, 255, SUM),
    ("i8", "i8", -128, 127, TWICE), ("i8", "i8", 0, 255, TWICE)])
def test_values(wide, narrow, low, high, text):
    n, types = 333, {"i8": np.int8, "i16": np.int16, "i32": np.int32}
    rng, limits = np.random.default_rng(0), np.iinfo(types[wide])
    x = rng.integers(limits.min // 2, limits.max // 2, n, types[wide])
    x[::2] = rng.integers(-60, 60, len(x[::2]))
    x[:12] = limits.min // 2, limits.max // 2, 127 // 2, 64, -64, -65, 0, -1, 1, 100, -100, 50
    y = rng.integers(-128, 127, n, types[narrow])
    compute = "i16" if text is TWICE else wide
    compiled = hx.compile(kernel(n, wide, narrow, low, high, text, compute))
    out = compiled.run(x, y, np.zeros(n, types[narrow])).outputs[-1]
    total = 2 * x.astype(np.int64) if text is ALONE else x.astype(np.int64) + y
    np.testing.assert_array_equal(out, np.clip(total, low, high).astype(types[narrow]))


@pytest.mark.parametrize(("wide", "low", "high", "text", "instruction"), [
    ("i16", -128, 127, ALONE, r"\.b = vpack\(.*:sat"), ("i32", 0, 255, ALONE, r"\.ub = vpack\(.*:sat"),
    ("i8", -128, 127, TWICE, r"\.b = vasr\(.*:sat"), ("i8", 0, 255, TWICE, r"\.ub = vsat\(")])
def test_instructions(wide, low, high, text, instruction):
    asm = hx.compile(kernel(4096, wide, "i8", low, high, text, "i16" if text is TWICE else "")).asm
    assert re.search(instruction, asm)
    assert "vmax" not in asm and "vmin" not in asm
