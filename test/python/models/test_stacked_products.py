"""Products of matrices and vectors whose results are stacked."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.passes import run_passes

pytestmark = pytest.mark.only_values

STEPS = 5


class Scan(nn.Module):
    """A state (..., M, K) of ``STEPS`` steps, each times a vector (..., K); results are stacked along ``dim``."""

    def __init__(self, dim=-1, times=lambda state, vector: (state @ vector.unsqueeze(-1)).select(-1, 0)):
        super().__init__()
        self.dim, self.times = dim, times

    def forward(self, factors, vectors):
        state, results = torch.zeros_like(factors[0]), []
        for step in range(STEPS):
            state = state * 0.5 + factors[step]
            results.append(self.times(state, vectors[step]))
        return torch.stack(results, self.dim)


def exported(model, rows=(33,), terms=7, dtype=torch.float32):
    torch.manual_seed(0)
    inputs = torch.randn(STEPS, *rows, terms).to(dtype), torch.randn(STEPS, *rows[:-1], terms).to(dtype)
    return torch.export.export(model, inputs), inputs


def products(program):
    graph = from_exported(program)
    run_passes(graph)
    return sum("matmul" in str(node.target) or ".mm" in str(node.target) for node in graph.graph.nodes)


@pytest.mark.parametrize(("rows", "dim"), [
    ((1, 128), -1), ((2, 33), 1), ((2, 3, 5), 2),
    *(pytest.param(*case, marks=pytest.mark.full) for case in (
        ((33,), -1), ((33,), 0), ((2, 33), 0), ((2, 33), 2), ((2, 33), -2)))])
def test_values(rows, dim):
    model = Scan(dim)
    program, inputs = exported(model, rows)
    assert products(program) == 0
    expected, got = model(*inputs), hx.compile(program)(*inputs)
    assert got.shape == expected.shape
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


def test_infinite_values():
    """On a chip whose arithmetic keeps them."""
    model = Scan()
    program, (factors, vectors) = exported(model)
    factors[1, 3, 2], factors[2, 4, 0] = torch.inf, torch.nan
    expected, got = model(factors, vectors), hx.compile(program, target="v79")(factors, vectors)
    assert torch.equal(expected.isnan(), got.isnan()) and torch.equal(expected.isinf(), got.isinf())
    assert expected.isnan().any() and expected.isinf().any()
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5, equal_nan=True)


STAY = [
    lambda state, vector: (state @ torch.stack([vector, vector], -1)).select(-1, 0),  # two columns
    lambda state, vector: (state @ vector.unsqueeze(-1)).select(-2, 0),  # a row of the result
    lambda state, vector: (state @ vector[None, :, None]).select(-1, 0)]


@pytest.mark.full_except("<lambda>0", "<lambda>2")
@pytest.mark.parametrize("times", STAY)
def test_products_that_stay(times):
    assert products(exported(Scan(times=times))[0]) == STEPS


@pytest.mark.parametrize("times", [STAY[0], *(pytest.param(times, marks=pytest.mark.full) for times in STAY[1:])])
def test_values_of_products_that_stay(times):
    model = Scan(times=times)
    program, inputs = exported(model)
    torch.testing.assert_close(hx.compile(program)(*inputs), model(*inputs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("terms", "dtype"), [(33, torch.float32), (7, torch.float16)])
def test_long_sums_and_halves_stay(terms, dtype):
    assert products(exported(Scan(), terms=terms, dtype=dtype)[0]) == STEPS


def test_a_product_that_is_read_elsewhere_stays():
    class Both(Scan):
        def forward(self, factors, vectors):
            products_ = [factors[step] @ vectors[step].unsqueeze(-1) for step in range(STEPS)]
            return torch.stack([one.select(-1, 0) for one in products_], 0), sum(products_)

    assert products(exported(Both())[0]) == STEPS
