"""Conversions between f16 and f32 on chips that compute in legacy qfloat: values of all kinds, and packets."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hexagon_mlir as hx

_ABOUT_LARGEST = np.linspace(65400, 65600, 801, dtype=np.float32)
_ABSOLUTE = np.uint32(0x7FFFFFFF)


def cast(operation: str, source: str, result: str, count: int):
    """A compiled kernel that converts ``count`` numbers."""
    return hx.compile(f"""
        #m = affine_map<(i) -> (i)>
        func.func @cast(%x: tensor<{count}x{source}>) -> tensor<{count}x{result}> {{
          %e = tensor.empty() : tensor<{count}x{result}>
          %r = linalg.generic {{indexing_maps = [#m, #m], iterator_types = ["parallel"]}}
              ins(%x : tensor<{count}x{source}>) outs(%e : tensor<{count}x{result}>) {{
            ^bb0(%a: {source}, %old: {result}):
              %c = arith.{operation} %a : {source} to {result}
              linalg.yield %c : {result}
          }} -> tensor<{count}x{result}>
          return %r : tensor<{count}x{result}>
        }}""", target="v75")


def all_halves() -> np.ndarray:
    """Every f16 number."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def neighbours() -> np.ndarray:
    """Of f32: each f16 number, and the numbers just above and below it, but infinity and NaN."""
    exact = all_halves()[np.isfinite(all_halves())].astype(np.float32)
    return np.concatenate([exact, *(np.nextafter(exact, np.float32(end)) for end in (np.inf, -np.inf))])


def nans() -> np.ndarray:
    """Of f32: NaN of either sign, with the least payloads, the greatest ones, and one of each bit."""
    payloads = np.concatenate([np.arange(1, 65), (1 << 23) - np.arange(1, 65), 1 << np.arange(23)]).astype(np.uint32)
    positive = payloads | np.uint32(0x7F800000)
    return np.concatenate([positive, positive | ~_ABSOLUTE]).view(np.float32)


def beyond() -> np.ndarray:
    """Of f32: about the largest f16 number, up to infinity."""
    positive = np.concatenate([_ABOUT_LARGEST, 2.0 ** np.arange(15, 128), [np.inf, 3.4028235e38]]).astype(np.float32)
    return np.concatenate([positive, -positive])


def tied(x: np.ndarray) -> np.ndarray:
    """Where ``x`` is halfway between two f16 numbers: the chip rounds away from zero."""
    with np.errstate(all="ignore"):
        near = x.astype(np.float16).astype(np.float64)
        step = np.spacing(np.abs(near).astype(np.float16)).astype(np.float64)
        return np.abs(x.astype(np.float64) - near) * 2 == step


def same(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where bits are equal, or both are NaN of one sign."""
    nan = np.isnan(got) & np.isnan(expected) & (np.signbit(got) == np.signbit(expected))
    return nan | (got.view(f"u{got.itemsize}") == expected.view(f"u{got.itemsize}"))


@pytest.mark.parametrize("count", [1 << 16, 65_403, 127])
def test_every_half_becomes_its_f32_number(count):
    x = all_halves()[-count:]
    got, = cast("extf", "f16", "f32", count).run(x).outputs
    assert same(got, x.astype(np.float32)).all()


@pytest.mark.parametrize("kind", [neighbours, nans, beyond])
def test_f32_numbers_become_the_nearest_halves(kind):
    x = kind()
    got, = cast("truncf", "f32", "f16", x.size).run(x).outputs
    with np.errstate(all="ignore"):
        expected = x.astype(np.float16)
    wrong = ~same(got, expected)
    assert not (wrong & ~tied(x)).any(), x[wrong & ~tied(x)][:4]


def test_nan_in_any_lane_stays_alone():
    x = np.arange(512, dtype=np.float32)
    x[::7], x[3::11] = np.nan, -np.nan
    got, = cast("truncf", "f32", "f16", x.size).run(x).outputs
    assert same(got, x.astype(np.float16)).all()


@pytest.mark.parametrize(("operation", "types", "most"), [("truncf", ("f32", "f16"), 17), ("extf", ("f16", "f32"), 19)])
def test_packets_of_four_vectors(operation, types, most):
    loops = re.findall(r"\n\.L\w+[.\w]*:\n((?:(?!\n\.L).)*?:endloop0)", cast(operation, *types, 1 << 18).asm, re.DOTALL)
    of_four = [loop for loop in loops if loop.count("= vmem(") + loop.count("vmem(") >= 12 and "qf32" in loop]
    assert of_four and all(loop.count("{") <= most for loop in of_four)
    assert not any("vmem(r29" in loop for loop in of_four), "nothing is spilled"
