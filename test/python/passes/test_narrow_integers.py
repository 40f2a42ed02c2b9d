"""Integers that are computed in 16 bits: equal to numpy's for all numbers of 16 bits, run on the simulator."""

import numpy as np
import pytest

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


def test_all_numbers_of_16_bits():
    """Conversions round as numpy's; shifted bytes and truncated sums have the same bits, those that wrap too."""
    n = 1 << 16
    text = f"""
#map = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<{n}xi32>, %b: tensor<{n}xi8>) -> (tensor<{n}xf16>, tensor<{n}xf16>, tensor<{n}xi8>) {{
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %mask = arith.constant 32767 : i32
  %nibble = arith.constant 15 : i32
  %eight = arith.constant 8 : i32
  %f = tensor.empty() : tensor<{n}xf16>
  %i = tensor.empty() : tensor<{n}xi8>
  %0:3 = linalg.generic {{indexing_maps = [#map, #map, #map, #map, #map], iterator_types = ["parallel"]}}
      ins(%x, %b : tensor<{n}xi32>, tensor<{n}xi8>) outs(%f, %f, %i : tensor<{n}xf16>,
      tensor<{n}xf16>, tensor<{n}xi8>) {{
  ^bb0(%w: i32, %byte: i8, %o0: f16, %o1: f16, %o2: i8):
    %s = arith.shrui %w, %one : i32
    %m = arith.andi %s, %mask : i32
    %d = arith.subi %m, %eight : i32
    %half = arith.sitofp %d : i32 to f16
    %wide = arith.extsi %byte : i8 to i32
    %high = arith.shrsi %wide, %four : i32
    %number = arith.andi %high, %nibble : i32
    %less = arith.subi %number, %eight : i32
    %float = arith.sitofp %less : i32 to f16
    %sum = arith.muli %w, %wide : i32
    %low = arith.trunci %sum : i32 to i8
    linalg.yield %half, %float, %low : f16, f16, i8
  }} -> (tensor<{n}xf16>, tensor<{n}xf16>, tensor<{n}xi8>)
  return %0#0, %0#1, %0#2 : tensor<{n}xf16>, tensor<{n}xf16>, tensor<{n}xi8>
}}"""
    x = np.arange(n, dtype=np.int32) * 2 + np.int32(-1 << 31)
    byte = np.random.default_rng(0).integers(-128, 128, n).astype(np.int8)
    half, nibble, low = hx.compile(text).run(x, byte).outputs
    np.testing.assert_array_equal(half, (((x >> 1) & 32767) - 8).astype(np.float16))
    np.testing.assert_array_equal(nibble, (((byte.astype(np.int32) >> 4) & 15) - 8).astype(np.float16))
    np.testing.assert_array_equal(low, (x.astype(np.int64) * byte).astype(np.int8))
