"""max, min, argmax, argmin, amax and amin over any dimension: the first of equal values, and NaN, as in PyTorch."""

import pytest
import torch

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Extremes(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        values, places = torch.max(x, self.dim)
        lowest, at = torch.min(x, self.dim, keepdim=True)
        return values, places, lowest, at, x.argmax(self.dim), x.argmin(self.dim), x.amax(self.dim), x.amin(self.dim)


def special(rows, columns):
    x = torch.randint(-3, 4, (rows, columns), generator=torch.Generator().manual_seed(rows)).float()
    x[0, :] = float("-inf")
    x[1, columns // 2:] = float("nan")
    x[2, 1] = float("inf")
    return x


@pytest.mark.each_value
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
@pytest.mark.parametrize("shape", [(5, 67), (40, 9)])
def test_extremes(shape, dtype, dim):
    x = special(*shape)
    if not dtype.is_floating_point:
        x = x.nan_to_num(7, 9, -9).to(dtype)
    model = Extremes(dim).eval()
    expected = (*torch.max(x, dim), *torch.min(x, dim, keepdim=True), x.argmax(dim), x.argmin(dim), x.amax(dim),
                x.amin(dim))
    for got, wanted in zip(hx.compile(torch.export.export(model, (x,)))(x), expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=0, atol=0, equal_nan=True)
