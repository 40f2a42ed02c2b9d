"""Special functions: the decompositions computed by PyTorch over wide ranges, and some of them on the simulator."""


import pytest
import torch
import torch.nn.functional as F

from hexagon_mlir.frontend.torch import antialiasing, registry, selections  # noqa: F401 (antialiasing registers)
from hexagon_mlir.frontend.torch import special_functions as special

pytestmark = pytest.mark.only_values

WIDE = torch.cat([torch.linspace(-9, 9, 1801) + 0.003, torch.logspace(-6, 30, 200), -torch.logspace(-6, 1, 50)])
SPECIAL = torch.tensor([0.0, 1.0, -1.0, 2.0, -2.0, float("inf"), float("nan")])
FUNCTIONS = {
    "erfc": (special.erfc, torch.erfc, WIDE.clamp(-9, 9), 2e-5), "erfinv": (special.erfinv, torch.erfinv,
                                                                             torch.linspace(-1, 1, 999), 4e-6),
    "lgamma": (special.lgamma, torch.lgamma, WIDE, 4e-6), "digamma": (special.digamma, torch.digamma, WIDE, 4e-5),
    "trigamma": (lambda x: special.polygamma(1, x), lambda x: torch.polygamma(1, x), WIDE[:2001], 4e-5),
    "i0": (special.i0, torch.special.i0, WIDE.clamp(max=80), 4e-6), "i0e": (special.i0e, torch.special.i0e, WIDE, 4e-6),
    "i1": (special.i1, torch.special.i1, WIDE.clamp(max=80), 4e-6), "i1e": (special.i1e, torch.special.i1e, WIDE, 4e-6),
    "erfcx": (special.erfcx, torch.special.erfcx, WIDE.clamp(min=-9), 2e-5),
    "log_ndtr": (special.log_ndtr, torch.special.log_ndtr, WIDE.clamp(max=1e18), 4e-6)}
"""Ours, PyTorch's, arguments, the largest relative difference (of numbers below 1: the absolute one)."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_accuracy(name):
    ours, theirs, x, tolerance = FUNCTIONS[name]
    wanted = theirs(x.double()).float()
    finite = wanted.isfinite()
    torch.testing.assert_close(ours(x)[finite], wanted[finite], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"i0", "i1", "trigamma"}))
def test_special_values(name):
    ours, theirs, _, _ = FUNCTIONS[name]
    torch.testing.assert_close(ours(SPECIAL), theirs(SPECIAL.double()).float(), rtol=1e-5, atol=1e-5, equal_nan=True)


def test_small_complements_keep_their_digits():
    x = torch.linspace(1, 9, 300)
    torch.testing.assert_close(special.erfc(x), torch.erfc(x.double()).float(), rtol=2e-5, atol=0)


def compiled(function, *inputs):
    torch._dynamo.reset()
    with torch.no_grad():
        return torch.compile(function, backend="hexagon", options={"fallback": "error"})(*inputs)


def test_compiled():
    x = torch.tensor([[0.3, -2.5, 7.25], [1e-3, -0.7, 30.0], [2.0, 1.0, -6.1]])
    got = compiled(lambda x: (torch.erfc(x), torch.lgamma(x)), x)
    torch.testing.assert_close(got, (torch.erfc(x), torch.lgamma(x)), rtol=2e-5, atol=4e-6)


def test_mode():
    x = torch.tensor([[2, 1, 1, 2, 3], [4, 4, -9, 4, -9], [5, 4, 3, 2, 1]])
    values, places = selections.mode(x)
    assert values.tolist() == [1, 4, 1] and places.tolist() == [2, 3, 4]
    values, places = selections.mode(x.float(), 0, True)
    assert values.tolist() == [[2, 4, -9, 2, -9]] and places.tolist() == [[0, 2, 1, 2, 1]]


@pytest.mark.each_value
@pytest.mark.parametrize("how", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(3, 5), (9, 11), (1, 7)])
def test_antialiasing(how, size):
    """Images that shrink, grow and both."""
    x = torch.randn(2, 3, 7, 9)
    for align in (False, True):
        wanted = F.interpolate(x, size, mode=how, antialias=True, align_corners=align)
        op = getattr(torch.ops.aten, f"_upsample_{how}2d_aa").default
        torch.testing.assert_close(registry.OURS[op](x, size, align), wanted, rtol=1e-4, atol=1e-5)
