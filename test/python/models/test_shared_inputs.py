"""Linear layers of one row that read the same input are one product."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.llm.decoder import join_rows
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.passes import run_passes
from hexagon_mlir.targets import get

pytestmark = pytest.mark.only_values


class Gated(nn.Module):
    """Three layers of an input and one of what they give."""

    def __init__(self, bias):
        super().__init__()
        torch.manual_seed(0)
        self.gate, self.up, self.third = (nn.Linear(40, width, bias=bias) for width in (70, 70, 33))
        self.down = nn.Linear(70, 9, bias=bias)
        join_rows([self.gate, self.up, self.third])

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x)), self.third(x)


def products(program, numerics="f32", engine=None):
    graph = from_exported(program)
    run_passes(graph, numerics, engine)
    return sorted(tuple(node.meta["val"].shape)[-1] for node in graph.graph.nodes
                  if node.target in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default))


@pytest.mark.each_value
@pytest.mark.parametrize(("shape", "expected"), [
    ((1, 40), [9, 173]), ((1, 1, 40), [9, 173]), ((2, 40), [9, 33, 70, 70]), ((1, 3, 40), [9, 33, 70, 70])])
@pytest.mark.parametrize("bias", [True, False])
def test_values(shape, expected, bias):
    model, x = Gated(bias).eval(), torch.randn(shape)
    program = torch.export.export(model, (x,))
    assert products(program) == expected
    with torch.no_grad():
        wanted = model(x)
    for got, value in zip(hx.compile(program)(x), wanted, strict=True):
        assert got.shape == value.shape
        torch.testing.assert_close(got, value, rtol=1e-5, atol=1e-6)


def test_layers_that_stay():
    """Those of other inputs, those with a bias next to those without one, and weights that are inputs."""
    class Others(nn.Module):
        def __init__(self):
            super().__init__()
            self.with_bias, self.without, self.other = nn.Linear(8, 5), nn.Linear(8, 6, bias=False), nn.Linear(8, 5)
            join_rows([self.with_bias, self.without, self.other])

        def forward(self, x, y, weight):
            return self.with_bias(x), self.without(x), self.other(y), nn.functional.linear(x, weight)

    inputs = torch.randn(1, 8), torch.randn(1, 8), torch.randn(7, 8)
    model = Others().eval()
    program = torch.export.export(model, inputs)
    assert products(program) == [5, 5, 6, 7]
    with torch.no_grad():
        wanted = model(*inputs)
    for got, value in zip(hx.compile(program)(*inputs), wanted, strict=True):
        torch.testing.assert_close(got, value, rtol=1e-5, atol=1e-6)


def test_weights_are_not_copied():
    """Merged weights are a view of those of the layers; weights that do not follow each other are left alone."""
    model, x = Gated(False).eval(), torch.randn(1, 40)
    whole = {one.untyped_storage().data_ptr() for one in model.parameters()}
    compiled = hx.compile(torch.export.export(model, (x,)))
    assert {one.untyped_storage().data_ptr() for one in compiled.signature.constants.values()} <= whole
    join_rows([model.up, model.gate, model.third])
    assert products(torch.export.export(model, (x,))) == [9, 33, 70, 70]


class Heads(nn.Module):
    """Queries, keys and values, a gate and what it gates, and a layer of half a tile, all of the same rows."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.q, self.k, self.v, self.gate, self.up, self.odd = (
            nn.Linear(48, width) for width in (96, 32, 32, 64, 64, 16))

    def forward(self, x):
        q, k, v = (layer(x).unflatten(-1, (-1, 32)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        heads = nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        return heads, nn.functional.silu(self.gate(x)) * self.up(x), self.odd(x)


def test_layers_of_several_rows_are_one_product_of_the_matrix_engine():
    """A gate stays apart from what it gates, and a layer whose columns are no whole tiles; without the engine, all."""
    model, x = Heads().eval(), torch.randn(2, 37, 48)
    with torch.no_grad():
        wanted = model(x)
        for numerics, kind in (("mixed", torch.float32), ("f32", torch.float16)):
            program = torch.export.export(Heads().eval().to(kind), (x.to(kind),))
            odd = [] if numerics == "mixed" else [16]  # of sums in f32
            assert products(program, numerics, get("v75")) == [*odd, 64, 64, 160]
            assert products(program, numerics, get("v68")) == [*odd, 32, 32, 64, 64, 96]
            for got, value in zip(hx.compile(program, numerics=numerics)(x.to(kind)), wanted, strict=True):
                assert got.shape == value.shape
                torch.testing.assert_close(got.float(), value, rtol=5e-3, atol=5e-3)
    assert products(torch.export.export(model, (x,)), "f32", get("v75")) == [16, 32, 32, 64, 64, 96]
