"""Nearest-neighbour interpolation with no convolution near: values, and cycles beside those with channels last."""

import pytest
import torch

import hexagon_mlir as hx


@pytest.mark.parametrize(("shape", "options", "cycles"), [
    ((2, 3, 7, 9), {"scale_factor": 3}, 4_300),  # 4,212, one thread 3,841, channels last 18,120
    ((2, 3, 7, 9), {"size": (10, 11)}, 18_000),  # 16,512, 36,815: not every row comes equally often
    ((2, 5, 33), {"scale_factor": 2}, 1_200),  # 1,032, 15,206
])
def test_nearest(shape, options, cycles):
    class Resize(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.interpolate(x, **options)

    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    model = hx.compile(torch.export.export(Resize(), (x,)))
    assert torch.equal(model(x), Resize()(x))
    assert model.result.simulated_cycles <= cycles
