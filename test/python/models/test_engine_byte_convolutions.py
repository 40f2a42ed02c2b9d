"""Convolutions of bytes with sums of 32 bits on the matrix engine are exact: large windows, strides, plain products."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Sums(torch.nn.Module):
    """Sums of a convolution of bytes, channels last, with a zero point and a bias."""

    def __init__(self, inputs, outputs, window, point, options):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randint(-128, 128, (outputs, inputs, window, window), dtype=torch.int8),
                                         requires_grad=False)
        self.bias = torch.nn.Parameter(torch.randint(-9999, 9999, (outputs,), dtype=torch.int32), requires_grad=False)
        self.point, self.options = point, options

    def forward(self, x):
        image = x.to(torch.int32).permute(0, 3, 1, 2) - self.point
        sums = torch.conv2d(image, self.weight.to(torch.int32), self.bias, **self.options)
        return sums.permute(0, 2, 3, 1).contiguous()


@pytest.mark.full_except("sizes0-0-options0-image0", "sizes2-128-options2-image2", "sizes3-0-options3-image3")
@pytest.mark.parametrize(("sizes", "point", "options", "image"), [
    ((32, 40, 5), 0, {"padding": 2}, (1, 11, 14)),
    ((32, 64, 7), 0, {"padding": 3, "stride": 2}, (1, 21, 18)),
    ((64, 32, 3), 128, {"padding": 1}, (1, 17, 13)),
    ((256, 64, 1), 0, {}, (1, 24, 28)),
    ((128, 330, 3), 0, {"padding": 1}, (1, 8, 9)),
    ((64, 96, 3), 0, {"padding": 1}, (2, 14, 14)),
])
def test_sums_are_exact(sizes, point, options, image):
    torch.manual_seed(0)
    module = Sums(*sizes, point, options)
    kind = torch.uint8 if point else torch.int8
    x = torch.randint(*((0, 256) if point else (-128, 128)), (*image, sizes[0])).to(kind)
    with torch.no_grad():
        model = hx.compile(torch.export.export(module, (x,)), numerics="mixed")
        torch.testing.assert_close(model(x), module(x), rtol=0, atol=0)
    assert any(record.result.matrix for record in model.last_run.launches)
