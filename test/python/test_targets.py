"""Targets by name: chips, and the optional IEEE forms of HVX as a feature of one."""

from __future__ import annotations

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.codegen.rewrites.conversions import converts, hidden_bits

SUM = """func.func @f(%x: tensor<256xf32>, %y: tensor<256xf32>) -> tensor<256xf32> {
  %o = tensor.empty() : tensor<256xf32>
  %r = linalg.add ins(%x, %y : tensor<256xf32>, tensor<256xf32>) outs(%o : tensor<256xf32>) -> tensor<256xf32>
  return %r : tensor<256xf32>
}"""


def test_chips_say_how_they_compute():
    legacy = {name: targets.get(name).computes_in_legacy_qfloat for name in targets.names()}
    assert legacy["v68"] and legacy["v73"] and legacy["v75"]
    assert not legacy["v67"] and not legacy["v79"]
    assert not targets.get("v75+hvx-ieee-fp").computes_in_legacy_qfloat


@pytest.mark.parametrize("name", ["v75+fast", "v76", "v67+hvx-ieee-fp", "v75+", "v75++hvx-ieee-fp", ""])
def test_unknown_names_are_refused(name):
    with pytest.raises(targets.TargetError, match="unknown"):
        targets.get(name)


@pytest.mark.parametrize("chip", ["v68", "v73", "v75"])
def test_with_the_ieee_forms_sums_are_those_of_ieee(chip):
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((2, 256)).astype(np.float32)
    x[:4], y[:4] = [np.inf, np.nan, 3e38, 1.0], [1.0, 1.0, 3e38, 0.0]
    kernel = hx.compile(SUM, target=f"{chip}+hvx-ieee-fp")
    assert "qf32" not in kernel.asm
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(kernel.run(x, y).outputs[0], x + y)


@pytest.mark.parametrize("name", [name for name in targets.names() if targets.get(name).vector_float])
def test_code_generation_sees_the_arithmetic_of_the_target(name):
    """A worker is told the chip as LLVM names it."""
    chip = targets.get(name)
    assert hidden_bits(chip.features) == hidden_bits(chip.cpu) == (chip.qfloat is targets.Qfloat.EXTENDED)
    assert converts(chip.features) == converts(chip.cpu) == chip.converts_floats
