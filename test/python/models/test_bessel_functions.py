"""Bessel functions: decompositions computed by PyTorch against its own in f64, and some of them on the simulator."""

import pytest
import torch

from hexagon_mlir.frontend.torch import bessel_functions as ours

pytestmark = pytest.mark.only_values

WIDE = torch.cat([torch.linspace(-40, 40, 1601) + 0.003, torch.logspace(-6, 2, 200), torch.tensor([2.0, 3.0])])
NAMES = ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "spherical_bessel_j0", "modified_bessel_k0",
         "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1")
EDGES = torch.tensor([0.0, -1.0, float("inf"), float("nan")])


def theirs(name, x):
    return getattr(torch.special, name)(x.double()).float()


@pytest.mark.parametrize("name", NAMES)
def test_accuracy(name):
    """Relative to the value, or absolute where it is below 1; of K the relative error."""
    wanted, found = theirs(name, WIDE), getattr(ours, name)(WIDE)
    finite = wanted.isfinite()
    assert finite.sum() > 900
    relative = "_k" in name
    torch.testing.assert_close(found[finite], wanted[finite], rtol=1e-5 if relative else 4e-6,
                               atol=1e-37 if relative else 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_edges(name):
    """At 0, below, at infinity and of NaN; PyTorch's Y and K of infinity, where it has NaN, are 0."""
    wanted, found = theirs(name, EDGES), getattr(ours, name)(EDGES)
    wanted[2] = 0.0
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6, equal_nan=True)


def test_compiled():
    torch._dynamo.reset()
    x = torch.tensor([[0.3, 2.5, 7.25], [1e-3, 0.7, 30.0], [2.0, 3.0, 6.1]])

    def function(x):
        return torch.special.bessel_j1(x), torch.special.bessel_y0(x), torch.special.modified_bessel_k1(x)

    got = torch.compile(function, backend="hexagon", options={"fallback": "error"})(x)
    torch.testing.assert_close(got, function(x), rtol=2e-5, atol=4e-6)
