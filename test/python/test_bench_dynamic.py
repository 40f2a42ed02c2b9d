"""The bench of sizes known at run time: it compares values, and its ratios are of cycles."""

from dataclasses import replace

import pytest

from bench.dynamic import Bytecode, measure
from hexagon_mlir.bench.size_kernels import KERNELS


@pytest.mark.parametrize("kernel", [
    pytest.param(kernel, marks=[pytest.mark.full] * (kernel.name in ("GELU", "RMS norm"))) for kernel in KERNELS],
    ids=lambda kernel: kernel.name)
def test_rows(kernel):
    row = measure(replace(kernel, most=40), 3)
    assert 0 < row.error < 1e-4
    assert len(row.ratios) == 3
    assert all(0.2 < ratio < 10 for ratio in row.ratios.values())


def test_bytecode():
    row = measure(replace(KERNELS[0], most=40), 3, Bytecode)
    assert row.cells()[0] == "vector add, bytecode"
    assert 0 < row.error < 1e-4
    assert 0 < row.each < 0.1
    assert all(0.2 < ratio < 10 for ratio in row.ratios.values())


def test_wrong_values_are_found():
    wrong = replace(KERNELS[0], reference=lambda x, y: x - y)
    with pytest.raises(AssertionError, match="vector add of"):
        measure(wrong, 1)
