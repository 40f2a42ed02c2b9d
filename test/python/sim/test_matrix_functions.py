"""The matrix engine's compiled functions: the same for every width of the host's vector registers."""

import numpy as np
import pytest

from hexagon_mlir.sim.matrix_engine import functions
from hexagon_mlir.sim.matrix_engine.formats import WEIGHT_BITS
from hexagon_mlir.sim.translation import host

LEAST, GREATEST = -64, 63


@pytest.fixture(scope="module")
def widths():
    """Functions for vector registers of 4, 8 and 16 words."""
    return [functions.Functions(host.compile_object(functions.library(lanes))) for lanes in (4, 8, 16)]


def address(array):
    return array.ctypes.data


def floats(code, rng):
    """Accumulators after a tile of random halves, and their conversion."""
    activations, exponents = np.zeros((2, 64, 32), np.int32)
    weights = np.zeros((2, 32, 32), np.int16)
    data, packed = rng.integers(0, 1 << 16, (2, 1024), np.uint16)
    code.activations_hf(address(data), 16, address(activations), address(exponents))
    code.weights_hf(address(packed), 16, address(weights[0]), address(weights[1]), 0)
    sums = np.zeros((3, 64, 32), np.int32)
    sums[1] = LEAST
    rows = np.arange(32, dtype=np.int32)
    code.products_hf(*map(address, (*sums, activations, exponents, rows, rows, *weights)), 0, 4, LEAST, GREATEST, True)
    state, bias = np.zeros((64, 32), np.int16), rng.integers(0, 1 << 32, (2, 32), np.uint32)
    code.convert_hf(*map(address, (*sums, *bias, state)), LEAST, False, False, False, False, False)
    return [activations, exponents, weights, sums, state]


def integers(code, rng):
    """Cells after a tile of random bytes and each type of weights, and all their conversions."""
    found = []
    for name, bits in WEIGHT_BITS.items():
        if name == "hf":
            continue
        activations, weights = np.zeros((128, 32), np.int32), np.zeros((256, 32), np.int32)
        data, packed = (rng.integers(0, 256, size, np.uint8) for size in (2048, 32 * 32 * bits // 8))
        code.activations_ub(address(data), 16, address(activations))
        getattr(code, f"weights_{name}")(address(packed), bits, address(weights))
        low, high = np.zeros((2, 128, 32), np.int32)
        rows = np.arange(64, dtype=np.int32)
        code.products_ub(*map(address, (low, high, activations, rows, rows, weights)), 0, 8)
        found += [weights, low + 16 * high]
    cells, words = rng.integers(-(1 << 31), 1 << 31, (64, 32), np.int32), rng.integers(0, 1 << 32, (2, 32), np.uint32)
    for name, more in (("ub", ()), ("uh", (False,)), ("uh2", (3,)), ("uh2", (2,))):
        state = np.zeros((64, 32), np.int16)
        getattr(code, f"convert_{name}")(*map(address, (cells, *words, state)), False, False, *more)
        found.append(state)
    return found


@pytest.mark.parametrize("compute", [floats, integers])
def test_all_widths_compute_the_same(widths, compute):
    first, *others = ([np.array(a) for a in compute(code, np.random.default_rng(5))] for code in widths)
    assert all(array.any() for array in first)
    for other in others:
        for one, two in zip(first, other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_cells_are_the_products_of_bytes_and_weights(widths):
    rng = np.random.default_rng(11)
    data, packed = rng.integers(0, 256, (64, 32), np.uint8), rng.integers(0, 256, (8, 32, 4), np.uint8)
    activations, weights = np.zeros((128, 32), np.int32), np.zeros((32, 32), np.int32)
    low, high = np.zeros((2, 128, 32), np.int32)
    rows = np.arange(64, dtype=np.int32)
    for code in widths:
        low[:] = high[:] = 0
        code.activations_cm(address(data), 16, address(activations))
        code.weights_b(address(packed), 8, address(weights))
        code.products_ub(*map(address, (low, high, activations, rows, rows, weights)), 0, 8)
        expected = data.astype(int) @ packed.view(np.int8).transpose(0, 2, 1).reshape(32, 32).astype(int)
        np.testing.assert_array_equal((low + 16 * high)[:64], expected)
