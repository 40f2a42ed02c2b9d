"""Models whose weights have 4 bits: products of a few rows read their codes, and give the values of the weights."""

from itertools import pairwise

import numpy as np
import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

EPSILON = {torch.float32: 2.0**-21, torch.float16: 2.0**-10}
"""Of the sum of the magnitudes of products: one rounding to f16; a few of f32."""


class Layers(torch.nn.Module):
    """Two linear layers with weights of 4 bits and f16 scales for 32 of a row."""

    def __init__(self, sizes, dtype):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.layers = torch.nn.ModuleList()
        for depth, columns in pairwise(sizes):
            codes = torch.randint(-8, 8, (columns, depth), generator=generator)
            scales = (torch.rand(columns, -(-depth // 32), generator=generator) + 0.5).half().double() / 64
            layer = torch.nn.Linear(depth, columns, bias=False, dtype=dtype)
            layer.weight.data = (codes * scales.repeat_interleave(32, 1)[:, :depth]).to(dtype)
            self.layers.append(layer)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def codes_of(compiled):
    """Bytes of the constants of the compiled model."""
    return {name: constant.numel() * constant.element_size() for name, constant in zip(
        compiled.signature.names, map(compiled.signature.constants.get, range(len(compiled.signature.names))),
        strict=True) if constant is not None}


@pytest.mark.each_value
@pytest.mark.parametrize("dtype", EPSILON)
@pytest.mark.parametrize("sizes", [(64, 192), (40, 70)])
@pytest.mark.parametrize("target", ["v75", "v68"])
def test_values(dtype, sizes, target):
    model, rows = Layers(sizes, dtype).eval(), 3
    x = torch.randn(rows, sizes[0], generator=torch.Generator().manual_seed(2)).to(dtype)
    compiled = hx.compile(torch.export.export(model, (x,)), target=target)
    found = compiled(x).double()
    weight = model.layers[0].weight.data.double().T
    error = (found - x.double() @ weight).abs() / (x.double().abs() @ weight.abs())
    assert error.max() <= EPSILON[dtype]
    assert compiled.result.saved_bytes == model.layers[0].weight.nbytes - sum(codes_of(compiled).values())
    tiles, blocks = -(-sizes[1] // 64), -(-sizes[0] // 32)
    assert sorted(codes_of(compiled).values()) == [tiles * blocks * 64 * 2, tiles * blocks * 64 * 16]


@pytest.mark.parametrize("rows", [9, pytest.param(12, marks=pytest.mark.full)])
def test_more_rows_read_the_same_codes(rows):
    """A loop over pairs of rows, and a row that is left. Where products of f32 may be split, weights are floats."""
    model = Layers((64, 192), torch.float32).eval()
    x = torch.randn(rows, 64, generator=torch.Generator().manual_seed(2))
    compiled = hx.compile(torch.export.export(model, (x,)))
    assert sorted(codes_of(compiled).values()) == [2 * 3 * 64 * 2, 2 * 3 * 64 * 16]
    np.testing.assert_allclose(compiled(x), model(x).detach(), atol=1e-5)
    split = hx.compile(torch.export.export(model, (x,)), numerics="f32-split")
    assert 2 * 3 * 64 * 16 not in codes_of(split).values()


def test_one_row_through_two_layers_saved_and_loaded(tmp_path):
    """The scales are arguments at the end: they are found again in a file."""
    model = Layers((64, 96, 70), torch.float32).eval()
    x = torch.randn(1, 64, generator=torch.Generator().manual_seed(3))
    compiled = hx.compile(torch.export.export(model, (x,)))
    found = compiled(x)
    np.testing.assert_allclose(found, model(x).detach(), atol=1e-4)
    compiled.save(tmp_path / "model")
    assert torch.equal(hx.load(tmp_path / "model")(x), found)


def test_rows_with_infinity_are_nan():
    model = Layers((64, 70), torch.float32).eval()
    x = torch.randn(2, 64, generator=torch.Generator().manual_seed(4))
    x[1, 5] = torch.inf
    found = hx.compile(torch.export.export(model, (x,)))(x)
    assert found[0].isfinite().all() and found[1].isnan().all()


def test_first_codes_of_a_later_layer_are_prefetched():
    """While the first layer computes; values are those of the weights."""
    model = Layers((1024, 3072, 1024), torch.float16).eval()
    x = torch.randn(1, 1024, generator=torch.Generator().manual_seed(2)).half()
    compiled = hx.compile(torch.export.export(model, (x,)))
    first, second = (layer.weight.data.double().T for layer in model.layers)
    between = (x.double() @ first).half().double()
    error = (compiled(x).double() - between @ second).abs() / (between.abs() @ second.abs())
    assert error.max() <= EPSILON[torch.float16]
    codes, scales = 1024 * 3072 // 2, 1024 * 3072 // 32 * 2
    assert codes // 8 <= compiled.result.streamed_bytes[-1] <= codes + scales
