"""Convolutions of models on the matrix engine, weights packed at compile time, against PyTorch in f64."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Last(torch.nn.Module):
    """A convolution with channels last."""

    def __init__(self, *sizes: int, **options: int):
        super().__init__()
        self.layer = torch.nn.Conv2d(*sizes, **options)

    def forward(self, x):
        return self.layer(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1).contiguous()


@pytest.mark.full_except("sizes2-options2-7-7", "sizes3-options3-19-18", "sizes5-options5-22-19")
@pytest.mark.parametrize(("sizes", "options", "high", "wide"), [
    ((64, 40, 3), {"padding": 1}, 17, 13),
    ((32, 96, (3, 5)), {"stride": 2}, 21, 33),
    ((256, 300, 3), {"padding": 1}, 7, 7),  # weights of some channels at a time, the last ones no whole tile
    ((64, 64, 3), {"padding": 2, "dilation": 2}, 19, 18),
    ((32, 40, 5), {"padding": 2}, 12, 17),
    ((32, 64, 7), {"padding": 3, "stride": 2}, 22, 19),
    ((48, 64, 3), {"padding": 1}, 16, 16),  # no whole tiles of channels
])
def test_values(sizes, options, high, wide):
    torch.manual_seed(0)
    module, x = Last(*sizes, **options).eval().half(), torch.randn(1, high, wide, sizes[0]).half()
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
        got, exact = model(x).double(), module.double()(x.double())
        size = module.layer.weight.abs().sum((1, 2, 3)).max() * x.abs().max()
    assert any(record.result.matrix for record in model.last_run.launches)
    bound = 2.0**-11 * exact.abs() + 2.0**-20 * size + 2.0**-16
    assert bool(((got - exact).abs() <= bound).all())


@pytest.mark.full_except("sizes1-21-19-True")
@pytest.mark.parametrize(("sizes", "high", "wide", "positive"), [
    ((64, 64, 3), 56, 56, False),  # several transfers ahead, and vectors of each thread's own in TCM
    ((40, 72, 3), 21, 19, True),  # neither rows, columns nor channels are whole tiles
    ((64, 128, 1), 16, 16, False),
])
def test_images_of_f32(sizes, high, wide, positive):
    torch.manual_seed(0)
    layer = Last(*sizes, padding=sizes[2] // 2)
    module = (torch.nn.Sequential(layer, torch.nn.ReLU()) if positive else layer).eval()
    x = torch.randn(1, high, wide, sizes[0])
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
        got, exact = model(x).double(), module.double()(x.double())
        size = layer.layer.weight.abs().sum((1, 2, 3)).max() * x.abs().max()
    assert any(record.result.matrix for record in model.last_run.launches)
    bound = 2.0**-11 * exact.abs() + 2.0**-11 * size / sizes[0]**0.5
    assert bool(((got - exact).abs() <= bound).all())
