"""Composite operations that an export holds whole are decomposed as torch.compile does it."""

import pytest
import torch
import torch.nn.functional as F

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.composites import composites

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(9)


def randn(*shape):
    return torch.randn(*shape, generator=GENERATOR)


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def losses(x, y):
    signs = torch.where(y[0] > 0, 1, -1)
    return (F.triplet_margin_loss(x, y, x.flip(0)) + F.cosine_embedding_loss(x.t(), y.t(), signs)
            + F.poisson_nll_loss(x, y) + F.margin_ranking_loss(x, y, torch.where(y > 0, 1.0, -1.0)))


def shapes(x, y):
    return torch.vstack([x, y]), torch.dstack([x, y]), torch.diff(x), torch.trapezoid(y, x), torch.diagflat(x[0])


def algebra(x, y):
    square = x[:, :3] @ x[:, :3].t() + torch.eye(3)
    return (torch.inner(x, y), torch.linalg.vecdot(x, y), torch.linalg.matrix_norm(x), torch.linalg.norm(x),
            torch.logdet(square), torch.linalg.matrix_power(square, 3), torch.quantile(x, 0.3, dim=1),
            torch.special.ndtr(x), torch.divide(x, y * y + 1), torch.linalg.solve_ex(square, y)[0])


@pytest.mark.parametrize("function", [losses, shapes, algebra])
def test_values(function):
    x, y = randn(3, 5), randn(3, 5)
    got = hx.compile(torch.export.export(Function(function), (x, y)))(x, y)
    torch.testing.assert_close(got, function(x, y), rtol=1e-4, atol=1e-5)


def test_what_stays_whole():
    """Attention, products and softmax are one operation each."""
    def function(x, w):
        return F.scaled_dot_product_attention(F.linear(x, w), x, x).softmax(-1)

    graph = from_exported(torch.export.export(Function(function), (randn(1, 2, 4, 8), randn(8, 8))))
    names = [node.target.name() for node in graph.graph.nodes if node.op == "call_function"]
    assert names == ["aten::linear", "aten::scaled_dot_product_attention", "aten::softmax.int"]
    assert torch.ops.aten.fft_fftn.default in composites()
